import { describe, expect, it } from 'vitest';
import type { Token } from 'node-llama-cpp';
import type { EngineRequest } from '../../../../../../src/main/models/engine/worker/worker-protocol.ts';
import { createReadyAnswers } from '../../../../../../src/main/models/engine/worker/answer/ready-answers.ts';

const request: EngineRequest = {
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'a' }] }],
  output: { type: 'text' },
  prefill: null,
  stop: [],
  temperature: 0.8,
  topP: 1,
  seed: 1,
  maxOutputTokens: 8,
  cacheKey: 'talk',
};
const answer = (text: string) => ({ text, tokens: [] as readonly Token[], stopReason: 'stop' as const });

describe('answers that were written before they were asked for', () => {
  it('are given to the same question with their seed, once, whatever is asked next', () => {
    const ready = createReadyAnswers();
    ready.keep({ ...request, also: [2, 3] }, 2, answer('two'));
    expect(ready.take({ ...request, seed: 3 })).toBeNull();
    expect(ready.take({ ...request, seed: 2, also: [3] })?.text).toBe('two');
    expect(ready.take({ ...request, seed: 2 })).toBeNull();
  });

  it('are of no other question', () => {
    const ready = createReadyAnswers();
    ready.keep(request, 2, answer('two'));
    const others: readonly Partial<EngineRequest>[] = [
      { temperature: 0.9 },
      { cacheKey: 'another' },
      { prefill: 'x' },
      { stop: ['.'] },
      { maxOutputTokens: 9 },
      { messages: [{ role: 'user', parts: [{ type: 'text', text: 'b' }] }] },
    ];
    for (const change of others) expect(ready.take({ ...request, seed: 2, ...change })).toBeNull();
    const { seed: _, ...rest } = request;
    expect(ready.take({ seed: 2, ...rest })?.text).toBe('two');
  });

  it('are forgotten where nobody comes for them, the oldest first', () => {
    const ready = createReadyAnswers();
    for (let seed = 1; seed <= 70; seed += 1) ready.keep(request, seed, answer(`${seed}`));
    const kept = Array.from({ length: 70 }, (_, index) => ready.take({ ...request, seed: index + 1 }));
    expect(kept.map((one) => one !== null)).toEqual(Array.from({ length: 70 }, (_, index) => index >= 6));
  });
});
