import { describe, expect, it } from 'vitest';
import { leastOutputTokens, outputWithin } from '../../../src/main/routing/fitting-output.ts';
import { worstCostOf } from '../../../src/shared/money/token-cost.ts';
import { seeded } from '../../../bench/lib/seeded.ts';

const named = { source: 'test', date: '2026-11-28' };
const capabilities = { tools: true, grammar: false, prefill: false, infill: false, countTokens: false };
const plain = { capabilities };
const thinking = { capabilities: { ...capabilities, reasoning: true } };

describe('the longest answer that an amount pays for', () => {
  it('never costs more than the amount, and one more token would', () => {
    const random = seeded(7);
    for (let round = 0; round < 5_000; round += 1) {
      const price = {
        ...named,
        input: random() * 20,
        output: 0.1 + random() * 80,
        ...(random() < 0.5 ? { cacheWrite: random() * 25 } : {}),
        ...(random() < 0.3 ? { perCall: random() * 0.01 } : {}),
        ...(random() < 0.3 ? { tiers: [{ above: 2_000, input: random() * 40, output: random() * 160 }] } : {}),
      };
      const promptTokens = Math.floor(random() * 5_000);
      const leftUsd = random() * 0.3;
      const tokens = outputWithin(leftUsd, promptTokens, price);
      if (tokens === null) {
        expect((worstCostOf(promptTokens, 0, price) ?? 0) + 1e-9).toBeGreaterThan(leftUsd);
        continue;
      }
      expect(worstCostOf(promptTokens, tokens, price)).toBeLessThanOrEqual(leftUsd);
      expect(worstCostOf(promptTokens, tokens + 2, price)).toBeGreaterThan(leftUsd);
    }
  });

  it('is unlimited for free output, and unknown without a price', () => {
    expect(outputWithin(0.01, 100, { ...named, input: 1, output: 0 })).toBe(Number.MAX_SAFE_INTEGER);
    expect(outputWithin(1, 100, null)).toBeNull();
  });
});

describe('the shortest useful answer', () => {
  it('follows what the model usually writes, within bounds', () => {
    expect(leastOutputTokens(plain, null, 8_192)).toBe(128);
    expect(leastOutputTokens(plain, 300, 8_192)).toBe(300);
    expect(leastOutputTokens(plain, 20, 8_192)).toBe(128);
    expect(leastOutputTokens(plain, 9_000, 8_192)).toBe(1_000);
  });

  it('leaves room for thinking, and never exceeds what was asked for', () => {
    expect(leastOutputTokens(thinking, null, 8_192)).toBe(1_024);
    expect(leastOutputTokens({ ...thinking, effort: 'none' }, null, 8_192)).toBe(128);
    expect(leastOutputTokens(plain, 300, 16)).toBe(16);
  });
});
