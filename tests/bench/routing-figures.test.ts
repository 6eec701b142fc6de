import { describe, expect, it } from 'vitest';
import { seeded } from '../../bench/lib/seeded.ts';
import { apgr, calibrationError, oracleScores } from '../../bench/routing/apgr.ts';
import { boost } from '../../bench/routing/boosted-trees.ts';
import { coverageOf } from '../../bench/routing/harm.ts';
import { keepBelow } from '../../src/main/routing/record/bound-harm.ts';
import { fitLogistic } from '../../bench/routing/logistic.ts';
import { fitRidge } from '../../bench/routing/sparse-ridge.ts';
import { upperBound } from '../../src/main/routing/upper-bound.ts';

const chance = (odds: number): number => 1 / (1 + Math.exp(-odds));

describe('the figure of recovered quality', () => {
  const outcomes = Array.from({ length: 1000 }, (_, item) => ({ weak: item < 500 ? 1 : 0, strong: 1 }));

  it('is 0.75 for a score that knows who needs help, by the definition', () => {
    expect(apgr(outcomes, oracleScores(outcomes))).toBeCloseTo(0.75, 5);
  });

  it('is half for a score that knows nothing', () => {
    expect(
      apgr(
        outcomes,
        outcomes.map(() => 1),
      ),
    ).toBeCloseTo(0.5, 1);
  });

  it('is lower for the wrong way round', () => {
    const wrong = oracleScores(outcomes).map((gain) => -gain);
    expect(apgr(outcomes, wrong)).toBeCloseTo(0.25, 5);
  });
});

describe('the calibration error', () => {
  it('is 0 for true chances and large for overconfident ones', () => {
    const labels = Array.from({ length: 1500 }, (_, at) => at % 4 === 0);
    const same = (value: number): number[] => labels.map(() => value);
    expect(calibrationError(same(0.25), labels)).toBeLessThan(0.01);
    expect(calibrationError(same(0.95), labels)).toBeCloseTo(0.7, 2);
  });
});

describe('a fit', () => {
  const random = seeded(5);
  const rows = Array.from({ length: 3000 }, () => [random() * 4 - 2, random() * 4 - 2]);
  const labels = rows.map(([first = 0, second = 0]) => (random() < chance(0.5 + 1.5 * first - second) ? 1 : 0));

  it('finds the line behind logistic labels', () => {
    const [base = 0, first = 0, second = 0] = fitLogistic(rows, labels);
    expect(base).toBeCloseTo(0.5, 0);
    expect(first).toBeCloseTo(1.5, 0);
    expect(second).toBeCloseTo(-1, 0);
  });

  it('finds the line behind sums', () => {
    const sparse = rows.map((row) => ({ at: Int32Array.of(0, 1), value: Float32Array.from(row) }));
    const sums = rows.map(([first = 0, second = 0]) => 2 * first - second);
    const weights = fitRidge(sparse, sums, { width: 2, penalty: 0.001 });
    expect(weights[0]).toBeCloseTo(2, 3);
    expect(weights[1]).toBeCloseTo(-1, 3);
  });

  it('of trees follows the labels, never against the direction that was asked for', () => {
    const options = { rounds: 60, depth: 1, rate: 0.1, leaf: 20, sample: 1, loss: 'logistic', seed: 1 } as const;
    const free = boost(rows, labels, options);
    expect(free.score([1, 0])).toBeGreaterThan(free.score([-1, 0]));
    const held = boost(rows, labels, { ...options, monotone: { 0: -1 } });
    expect(held.score([1, 0])).toBeLessThanOrEqual(held.score([-1, 0]));
    expect(boost(rows, labels, options).trees).toEqual(free.trees);
  });
});

describe('the bound of the harm', () => {
  it('is the one of Clopper and Pearson', () => {
    // Without events: 1 - 0.05^(1/n).
    expect(upperBound(0, 60)).toBeCloseTo(1 - 0.05 ** (1 / 60), 6);
    expect(upperBound(5, 100)).toBeCloseTo(0.10225, 4);
    expect(upperBound(0, 0)).toBe(1);
    expect(upperBound(7, 7)).toBe(1);
  });

  it('keeps nothing here where too few tasks are known', () => {
    const few = Array.from({ length: 20 }, (_, at) => ({ score: at, isHarm: false }));
    expect(keepBelow(few, 0.05)).toBe(Number.NEGATIVE_INFINITY);
  });

  it('keeps its word in 95 of 100 draws or more', () => {
    const random = seeded(9);
    const judged = Array.from({ length: 2000 }, () => {
      const score = random();
      return { score, isHarm: random() < score * 0.5 };
    });
    const { share, kept } = coverageOf(judged, { limit: 0.05, size: 300, draws: 300 });
    expect(share).toBeGreaterThanOrEqual(0.95);
    expect(kept).toBeGreaterThan(0.1);
  });
});
