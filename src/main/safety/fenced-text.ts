import type { FenceHit } from '@shared/safety/fences.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { textMessage, textOf } from '@shared/models/model-messages.ts';
import type { ModelRequest } from '../models/providers/define.ts';
import type { SessionFences } from './session-fences.ts';

/** Any model that is not here: it is asked about, and nothing is sent to it. */
const elsewhere: ModelInfo = {
  id: 'elsewhere/any',
  provider: 'elsewhere',
  name: 'any',
  label: 'a model elsewhere',
  where: 'cloud',
  contextTokens: 1,
  parametersB: null,
  capabilities: { tools: false, grammar: false, prefill: false, infill: false, countTokens: false },
  price: null,
  strategies: [],
};

/**
 * What keeps a text of a session from leaving this machine: by its look, and because of what the session had in sight
 * when it was written. Where it only has to be redacted, `text` is what may go.
 */
export async function fencedIn(
  fences: SessionFences,
  text: string,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly hits: readonly FenceHit[] }> {
  const request: ModelRequest = {
    model: elsewhere.name,
    messages: [textMessage('user', text)],
    tools: [],
    output: { type: 'text' },
    prefill: null,
    stop: [],
    temperature: 0,
    topP: 1,
    seed: null,
    maxOutputTokens: 1,
    cacheKey: '',
  };
  const answer = await fences.check({ info: elsewhere, purpose: 'act', scope: 'conversation', request }, signal);
  if (answer.type === 'free') return { text, hits: [] };
  if (answer.outcome !== 'redacted') return { text, hits: answer.hits.filter(({ verdict }) => verdict !== 'redact') };
  return { text: answer.request.messages.map(textOf).join('\n'), hits: [] };
}
