import type { SessionEvent } from '@shared/events/events.ts';
import type { Part } from '@shared/models/model-messages.ts';
import { sha256Of } from '../lib/sha256.ts';

/** The calls that each model of a session wrote. What a model wrote itself is not hidden from it. */
export interface WrittenCalls {
  readonly add: (event: SessionEvent) => void;
  readonly isOwn: (model: string, part: Part) => boolean;
}

export function createWrittenCalls(): WrittenCalls {
  const models = new Map<string, string>();
  const written = new Map<string, Set<string>>();
  return {
    add: (event) => {
      if (event.type === 'model-call-started') models.set(event.callId, event.model);
      if (event.type !== 'model-call-ended') return;
      const model = models.get(event.callId);
      models.delete(event.callId);
      if (model === undefined) return;
      const own = written.get(model) ?? new Set();
      written.set(model, own);
      for (const part of event.parts) if (part.type === 'tool-call') own.add(hashOf(part));
    },
    isOwn: (model, part) => part.type === 'tool-call' && (written.get(model)?.has(hashOf(part)) ?? false),
  };
}

function hashOf({ name, input }: Extract<Part, { readonly type: 'tool-call' }>): string {
  return sha256Of(JSON.stringify([name, input]));
}
