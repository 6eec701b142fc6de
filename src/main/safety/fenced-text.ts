import type { FenceHit } from '@shared/safety/fences.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { Message } from '@shared/models/model-messages.ts';
import { textMessage, textOf } from '@shared/models/model-messages.ts';
import type { FenceAnswer, SessionFences } from './session-fences.ts';

/** A receiver away from this machine, known only by name. Nothing is sent to it to ask. */
export type Receiver = Pick<ModelInfo, 'id' | 'name' | 'label'>;

const anyModel: Receiver = { id: 'elsewhere/any', name: 'any', label: 'a model elsewhere' };

/**
 * Checks one message to any receiver away from this machine against the fences, as a call to a cloud model that was
 * written with the whole conversation in view.
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
 * Which rules keep a text of a session from leaving this machine, because of its content or because of what the session
 * had seen when it was written. If redacting is enough, `text` is what may leave.
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
