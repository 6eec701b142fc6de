import { describe, expect, it } from 'vitest';
import { priorsOf } from '../../../src/main/routing/record/count-outcomes.ts';
import { madeOutcome } from '../../fakes/made-outcomes.ts';
import { expectedRestUsd, usualOutput, usualStepsOf } from '../../../src/main/routing/usual-steps.ts';

const price = { input: 3, output: 15, source: 'test', date: '2026-11-28' };

describe('the usual steps of a model', () => {
  it('are those of the kind of task until there are counts of that model', () => {
    expect(usualStepsOf('repair', undefined)).toEqual({ calls: 4, outputTokens: 250, grownTokens: 1_150 });
    const counted = { tries: 9, solved: 9, calls: 18, written: 18 * 100, at: 0 };
    expect(usualStepsOf('repair', counted)).toEqual({ calls: 2, outputTokens: 127, grownTokens: 1_027 });
    expect(usualStepsOf('change', undefined).calls).toBeGreaterThan(usualStepsOf('question', undefined).calls);
  });

  it('are unknown in tokens when the counts have none', () => {
    expect(usualOutput(undefined)).toBeNull();
    expect(usualOutput({ tries: 3, solved: 3, calls: 9, at: 0 })).toBeNull();
    expect(usualOutput({ tries: 3, solved: 3, calls: 9, written: 1_800, at: 0 })).toBe(200);
  });

  it("are learned from the output of a turn's calls", () => {
    const work = [{ model: 'sky/m', version: '', purpose: 'act', solved: true, calls: 2, written: 240 }] as const;
    const learned = priorsOf([madeOutcome({ work: [...work] })], { project: 'p', versionOf: () => '' });
    expect(learned['sky/m']?.['act']).toMatchObject({ tries: 1, calls: 2, written: 240 });
  });
});

describe('the expected cost of the rest of a task', () => {
  /** Catches: $1.83 where takeovers cost one cent, because thirty steps were expected of every task. */
  it('is a few cents for a repair, and under two cents for a model with few short calls', () => {
    expect(expectedRestUsd(price, 2_500, usualStepsOf('repair', undefined))).toBeCloseTo(0.0657, 3);
    const quick = { tries: 20, solved: 20, calls: 30, written: 30 * 100, at: 0 };
    expect(expectedRestUsd(price, 1_000, usualStepsOf('repair', quick))).toBeLessThan(0.02);
  });
});
