import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mostGrowth } from '../../bench/lib/growth.ts';
import { measurePatterns, measureScanners } from '../../bench/lib/pattern-growth.ts';
import type { GrowthRow } from '../../bench/lib/pattern-growth.ts';

/**
 * Catches: a text of a model, a command or a project that holds the program up for seconds or minutes, because a pattern
 * or a loop over it takes time in step with the square of its length.
 */
const root = resolve(import.meta.dirname, '../..');
const timeout = 300_000;

const tooSteep = (rows: readonly GrowthRow[]): readonly unknown[] =>
  rows.flatMap(({ place, what, growth }) =>
    growth !== null && growth.growth > mostGrowth ? [{ place, what, ...growth }] : [],
  );

describe('the cost of a byte of 1 MB beside one of 10 KB', () => {
  it('grows for no pattern', { timeout }, () => {
    const rows = measurePatterns(root);
    expect(rows.length).toBeGreaterThan(900);
    expect(tooSteep(rows)).toEqual([]);
  });

  it('grows for no function that reads a text', { timeout }, async () => {
    const rows = await measureScanners(root);
    expect(rows.length).toBeGreaterThan(100);
    expect(tooSteep(rows)).toEqual([]);
  });
});
