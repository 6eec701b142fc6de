import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isTooSteep, measureGrowth } from './growth/growth.ts';
import { measurePatterns, steepRows } from './growth/pattern-growth.ts';

/**
 * Catches: a text of a model, a command or a project that blocks the program for seconds or minutes, because a pattern
 * or a loop over it takes time proportional to the square of its length.
 */
const root = resolve(import.meta.dirname, '../..');
const timeout = 600_000;
const small = { from: 2000, to: 2000 };

describe('the cost per byte of a long text', () => {
  it('stays the same for every pattern', { timeout }, () => {
    const rows = measurePatterns(root);
    expect(rows.length).toBeGreaterThan(900);
    expect(steepRows(rows)).toBe('');
  });

  it('is told apart from a machine that slows down on a long text', { timeout }, () => {
    const attacks = [{ head: '', pump: 'a', tail: '' }];
    const work = (steps: number): number => {
      let sum = 0;
      for (let at = 0; at < steps; at += 1) sum += at % 7;
      return sum;
    };
    // Linear work is added to the quadratic work, as in most real cases.
    const square = measureGrowth((text) => work(text.length * 4 + text.length ** 2 / 31_250), attacks, small);
    const dearer = measureGrowth((text) => work(text.length * (text.length > 50_000 ? 50 : 5)), attacks, small);
    expect(square).not.toBeNull();
    expect(square !== null && isTooSteep(square)).toBe(true);
    expect(dearer?.growth).toBeGreaterThan(3);
    expect(dearer !== null && isTooSteep(dearer)).toBe(false);
  });
});
