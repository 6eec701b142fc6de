import type { BlobRef } from '@shared/events/blob-ref.ts';
import type { SessionEvent } from '@shared/events/events.ts';
import type { Fences } from '@shared/safety/fences.ts';
import type { Manifest } from '@shared/session/call-manifest.ts';
import { manifestOf, manifestSchema } from '@shared/session/call-manifest.ts';
import type { TaintScope } from '../../safety/taint.ts';
import { createFenceTaint, scopeOfCall } from '../../safety/taint.ts';
import { messageSchema } from '@shared/models/model-messages.ts';
import { z } from 'zod';
import type { LookedAt } from '../../safety/request-texts.ts';
import { besidesMessages, hitsInPart, hitsInValue } from '../../safety/request-texts.ts';
import type { Blobs } from '../blobs/blob-store.ts';

interface Found {
  readonly ref: BlobRef;
  readonly model: string;
  /** Null: `ref` is the manifest that the fences made when they checked the call. */
  readonly purpose: string | null;
  readonly scope: TaintScope;
}

const requestSchema = z.looseObject({ messages: z.array(messageSchema) });

/**
 * What a step sent to its model or, if a fence stopped it or asked first, would have sent. The current fences and the
 * log up to the step say what is fenced and why. For a call that a fence stopped or changed, the findings of that time
 * count, which also covered the files themselves. Null if the log has no such step, or its bytes are gone.
 */
export async function readManifest(
  events: AsyncIterable<SessionEvent>,
  step: number,
  { blobs, fences }: { readonly blobs: Pick<Blobs, 'get'>; readonly fences: Fences },
): Promise<Manifest | null> {
  const taint = createFenceTaint(fences);
  let isThere = false;
  let found: Found | null = null;
  for await (const event of events) {
    if (event.type === 'call-fenced' && event.step === step && event.manifest !== null) {
      found = { ref: event.manifest, model: event.model, purpose: null, scope: 'conversation' };
    }
    // If a fence changed the call, its findings at that time count.
    if (event.type === 'model-call-started' && event.step === step && found?.model !== event.stage.model) {
      const scope = scopeOfCall(event);
      found = { ref: event.request, model: event.stage.model, purpose: event.purpose, scope };
    }
    isThere ||= event.type === 'model-call-started' && event.step === step;
    if (!isThere) taint.add(event);
  }
  const bytes = found === null ? null : await blobs.get(found.ref);
  if (found === null || bytes === null) return null;
  const json: unknown = JSON.parse(new TextDecoder().decode(bytes));
  if (found.purpose === null) return manifestSchema.parse(json);
  const { model, purpose, scope } = found;
  const looked: LookedAt = new WeakMap();
  const request = requestSchema.parse(json);
  return manifestOf({
    messages: request.messages,
    rest: besidesMessages(request),
    model,
    purpose,
    hitsIn: (part) => hitsInPart(taint, looked, part),
    hitsInRest: (value) => hitsInValue(taint, looked, value),
    builtFrom: taint.inScope(scope),
  });
}
