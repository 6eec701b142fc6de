import type { FenceHit } from '@shared/safety/fences.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { Message } from '@shared/models/model-messages.ts';
import { textMessage, textOf } from '@shared/models/model-messages.ts';
import type { FenceAnswer, SessionFences } from './session-fences.ts';

/** Somebody away from this machine, for whom nothing is known but the name; nothing is sent by asking. */
export type Receiver = Pick<ModelInfo, 'id' | 'name' | 'label'>;

const anyModel: Receiver = { id: 'elsewhere/any', name: 'any', label: 'a model elsewhere' };

/**
 * What the fences say of one message to somebody elsewhere, whoever that is: it is looked at as a call to a cloud model
 * that was written with the conversation in sight.
 */
export async function checkOutgoing(
  fences: SessionFences,
  { to: { id, name, label }, message }: { readonly to: Receiver; readonly message: Message },
  signal: AbortSignal,
): Promise<FenceAnswer> {
  const info: ModelInfo = {
    id,
    provider: id.split('/')[0] ?? id,
    name,
    label,
    where: 'cloud',
    contextTokens: 0,
    parametersB: null,
    capabilities: { tools: false, grammar: false, prefill: false, infill: false, countTokens: false },
    price: null,
    strategies: [],
  };
  const request = {
    model: name,
    messages: [message],
    tools: [],
    output: { type: 'text' },
    prefill: null,
    stop: [],
    temperature: 0,
    topP: 1,
    seed: null,
    maxOutputTokens: 1,
    cacheKey: '',
  } as const;
  return fences.check({ info, purpose: 'act', scope: 'conversation', request }, signal);
}

/**
 * What keeps a text of a session from leaving this machine: by its look, and because of what the session had in sight
 * when it was written. Where it only has to be redacted, `text` is what may go.
 */
export async function fencedIn(
  fences: SessionFences,
  text: string,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly hits: readonly FenceHit[] }> {
  const answer = await checkOutgoing(fences, { to: anyModel, message: textMessage('user', text) }, signal);
  if (answer.type === 'free') return { text, hits: [] };
  if (answer.outcome !== 'redacted') return { text, hits: answer.hits.filter(({ verdict }) => verdict !== 'redact') };
  return { text: answer.request.messages.map(textOf).join('\n'), hits: [] };
}
