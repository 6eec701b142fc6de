import type { Message } from '@shared/models/model-messages.ts';
import type { ModelRequest } from '../../src/main/models/providers/define.ts';

/** A greedy call for text, without tools; `changes` for what is not so. */
export function plainRequest(messages: readonly Message[], changes: Partial<ModelRequest>): ModelRequest {
  return {
    model: 'bench',
    messages: [...messages],
    tools: [],
    output: { type: 'text' },
    prefill: null,
    stop: [],
    temperature: 0,
    topP: 0.95,
    seed: 1,
    maxOutputTokens: 48,
    cacheKey: 'bench',
    ...changes,
  };
}
