import { describe, expect, it } from 'vitest';
import { pairedDifference, shareInterval, unpairedDifference } from '../../src/shared/comparisons/intervals.ts';
import type { Interval } from '../../src/shared/money/counterfactual.ts';
import { largest, median, percentile } from '../../bench/lib/statistics.ts';

const rounded = (interval: Pick<Interval, 'low' | 'high'> | null): readonly string[] =>
  interval === null ? [] : [interval.low, interval.high].map((end) => end.toFixed(4));

describe("Wilson's interval", () => {
  // The examples of table I in Newcombe, Statistics in Medicine 17 (1998), 857-872, method 3.
  it.each([
    [81, 263, '0.2553', '0.3662'],
    [15, 148, '0.0624', '0.1605'],
    [0, 20, '0.0000', '0.1611'],
    [1, 29, '0.0061', '0.1718'],
  ])('for %i of %i is the published one', (successes, total, low, high) => {
    expect(rounded(shareInterval(successes, total))).toEqual([low, high]);
  });

  it('ends exactly at 0 and 1, and is 0 to 1 without samples', () => {
    expect(shareInterval(0, 7).low).toBe(0);
    expect(shareInterval(7, 7).high).toBe(1);
    expect(shareInterval(0, 0)).toMatchObject({ low: 0, high: 1 });
  });
});

describe('the difference of two shares', () => {
  // Table II in Newcombe, Statistics in Medicine 17 (1998), 873-890, method 10.
  it.each([
    { a: 56, n: 70, b: 48, m: 80, published: ['0.0524', '0.3339'] },
    { a: 9, n: 10, b: 3, m: 10, published: ['0.1705', '0.8090'] },
  ])('of independent samples $a/$n and $b/$m has the published interval', ({ a, n, b, m, published }) => {
    const found = unpairedDifference({ successes: a, total: n }, { successes: b, total: m });
    expect(rounded(found)).toEqual(published);
    expect(found?.value).toBeCloseTo(a / n - b / m, 12);
  });

  // Table II in Newcombe, Statistics in Medicine 17 (1998), 2635-2650, method 10.
  it('of pairs has the published interval', () => {
    const found = pairedDifference({ both: 36, onlyFirst: 12, onlySecond: 2, neither: 0 });
    expect(rounded(found)).toEqual(['0.0569', '0.3404']);
  });

  it('changes its sign when the sides are swapped', () => {
    const pairs = { both: 5, onlyFirst: 4, onlySecond: 1, neither: 3 };
    const forth = pairedDifference(pairs);
    const back = pairedDifference({ ...pairs, onlyFirst: 1, onlySecond: 4 });
    expect(back?.value).toBeCloseTo(-(forth?.value ?? 0), 12);
    expect(back?.low).toBeCloseTo(-(forth?.high ?? 0), 12);
    expect(back?.high).toBeCloseTo(-(forth?.low ?? 0), 12);
  });

  it('is narrower for correlated pairs than for independent samples', () => {
    const paired = pairedDifference({ both: 20, onlyFirst: 5, onlySecond: 0, neither: 15 });
    const unpaired = unpairedDifference({ successes: 25, total: 40 }, { successes: 20, total: 40 });
    const width = (interval: Pick<Interval, 'low' | 'high'> | null): number =>
      interval === null ? 0 : interval.high - interval.low;
    expect(width(paired)).toBeLessThan(width(unpaired));
  });

  it('stays uncertain when every pair agrees', () => {
    const found = pairedDifference({ both: 0, onlyFirst: 11, onlySecond: 0, neither: 0 });
    expect(found?.value).toBe(1);
    expect(found?.low).toBeLessThan(0.8);
    expect(found?.high).toBe(1);
  });

  it('is unknown without samples', () => {
    expect(pairedDifference({ both: 0, onlyFirst: 0, onlySecond: 0, neither: 0 })).toBeNull();
    expect(unpairedDifference({ successes: 0, total: 0 }, { successes: 1, total: 2 })).toBeNull();
  });
});

describe('order statistics', () => {
  it('take the middle and the nearest rank, whatever the order', () => {
    expect([median([3, 1, 2]), median([4, 1, 3, 2]), median([5]), median([])]).toEqual([2, 2.5, 5, null]);
    const values = Array.from({ length: 60 }, (_, index) => 60 - index);
    expect([percentile(values, 0.99), percentile(values, 0.5), percentile(values, 0), percentile([], 0.5)]).toEqual([
      60,
      30,
      1,
      null,
    ]);
    expect([largest([2, 9, 4]), largest([])]).toEqual([9, null]);
  });

  it('sort by number and not by text', () => {
    expect(median([100, 9, 20])).toBe(20);
  });
});
