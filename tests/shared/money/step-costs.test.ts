import { describe, expect, it } from 'vitest';
import type { NewEvent } from '../../../src/shared/events/events.ts';
import type { Where } from '../../../src/shared/models/model-info.ts';
import type { Price } from '../../../src/shared/money/token-cost.ts';
import { costOf } from '../../../src/shared/money/token-cost.ts';
import { foldStepCosts } from '../../../src/shared/money/step-costs.ts';

const usage = { freshInput: 1000, cacheRead: 0, cacheWrite: 0, output: 100, reasoning: 0, estimated: false };
const old: Price = { input: 2, output: 10, source: 'list', date: '2026-01-01' };
const now: Price = { input: 4, output: 20, source: 'list', date: '2026-11-22' };

/** One call as in the log, with the price of its day. */
function call(step: number, where: Where, price: Price | null): readonly NewEvent[] {
  const callId = `call-${step}`;
  const model = where === 'local' ? 'here/m' : 'sky/m';
  const timings =
    where === 'local'
      ? { queuedMs: 0, prefillMs: 5000, decodeMs: 5000, totalMs: 10_000 }
      : { queuedMs: 0, prefillMs: null, decodeMs: null, totalMs: 2000 };
  return [
    {
      type: 'model-call-started',
      callId,
      step,
      purpose: 'act',
      stage: { strategy: 'loop', model, where },
      provider: where,
      model: 'm',
      request: { sha256: 'a'.repeat(64), bytes: 1 },
      promptTokens: 1000,
    },
    {
      type: 'model-call-ended',
      callId,
      stopReason: 'stop',
      parts: [],
      usage,
      evaluatedTokens: where === 'local' ? 1000 : null,
      timings,
      price,
      costUsd: where === 'local' ? 0 : costOf(usage, price),
      error: null,
    },
  ];
}

describe('the cost of each step', () => {
  it('is compared with the strongest cloud model considered, if none was called', () => {
    const fold = foldStepCosts();
    const options = ['here/m', 'sky/cheap', 'star/strong'].map((model, at) => ({
      model,
      strategy: 'loop' as const,
      where: at === 0 ? ('local' as const) : ('cloud' as const),
      denied: null,
      costUsd: null,
      seconds: null,
      restUsd: null,
    }));
    const chosen = { model: 'here/m', where: 'local' } as const;
    const decided: NewEvent = {
      type: 'route-decided',
      callId: 'call-1',
      chosen,
      reasonCode: 'local-first',
      reason: '',
      runnerUp: null,
      options,
    };
    for (const [at, event] of [decided, ...call(1, 'local', null)].entries())
      fold.add({ ...event, v: 2, seq: at + 1, at });
    expect(fold.lastCloudModel()).toBe('star/strong');
    expect(fold.costs({ model: 'star/strong', price: now })[0]?.elsewhere.usd).not.toBeNull();
  });

  it("stays that of its day after a price change, and elsewhere uses today's price", () => {
    const fold = foldStepCosts();
    const log = [
      ...call(1, 'cloud', old),
      ...call(2, 'local', null),
      ...call(3, 'cloud', now),
      ...call(4, 'cloud', null),
    ];
    for (const [at, event] of log.entries()) fold.add({ ...event, v: 2, seq: at + 1, at });
    expect(fold.lastCloudModel()).toBe('sky/m');
    const steps = fold.costs({ model: 'sky/m', price: now });
    expect(steps.map(({ step, costUsd }) => [step, costUsd])).toEqual([
      [1, 0.003],
      [2, 0],
      [3, 0.006],
      // The price was unknown then, so it stays unknown.
      [4, null],
    ]);
    expect(steps[1]?.elsewhere).toMatchObject({ basis: 'estimated', usd: { value: 0.006 } });
    // The same tokens on this machine, at its measured speed.
    expect(steps[0]?.elsewhere.seconds?.value).toBeCloseTo(10, 9);
  });
});
