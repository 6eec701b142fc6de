import type { BlobRef, SessionEvent } from '@shared/events.ts';
import type { Manifest } from '@shared/manifest.ts';
import { manifestOf, manifestSchema } from '@shared/manifest.ts';
import { messageSchema } from '@shared/messages.ts';
import { z } from 'zod';
import type { Blobs } from './blobs.ts';

const requestSchema = z.object({
  messages: z.array(messageSchema),
  tools: z.array(z.record(z.string(), z.unknown())),
  prefill: z.string().nullable(),
});

/**
 * What a step carried to its model; where a fence stopped it, or asked first, what it would have carried. Null where
 * the log knows no such step, or its bytes are gone.
 */
export async function readManifest(
  events: AsyncIterable<SessionEvent>,
  step: number,
  blobs: Pick<Blobs, 'get'>,
): Promise<Manifest | null> {
  let found: { readonly ref: BlobRef; readonly model: string; readonly purpose: string | null } | null = null;
  for await (const event of events) {
    if (event.type === 'call-fenced' && event.step === step && event.manifest !== null) {
      found = { ref: event.manifest, model: event.model, purpose: null };
    }
    // A call that a fence changed is told by what was found at the door.
    if (event.type === 'model-call-started' && event.step === step && found?.model !== event.rung.model) {
      found = { ref: event.request, model: event.rung.model, purpose: event.purpose };
    }
  }
  const bytes = found === null ? null : await blobs.get(found.ref);
  if (found === null || bytes === null) return null;
  const json: unknown = JSON.parse(new TextDecoder().decode(bytes));
  if (found.purpose === null) return manifestSchema.parse(json);
  const { model, purpose } = found;
  return manifestOf({ ...requestSchema.parse(json), model, purpose, hitsIn: () => [], builtFrom: [] });
}
