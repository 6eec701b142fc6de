import type { Message } from '@shared/models/model-messages.ts';
import type { ModelRequest } from '../../src/main/models/providers/define.ts';

/** A request for text with greedy sampling and without tools. `changes` replaces fields. */
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
