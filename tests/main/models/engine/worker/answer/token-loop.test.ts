import { describe, expect, it } from 'vitest';
import { isLooping } from '../../../../../../src/main/models/engine/worker/answer/token-taker.ts';

const repeat = (block: readonly number[], times: number): number[] => Array.from({ length: times }, () => block).flat();

describe('the check for endless repetition', () => {
  it('finds a long repetition of a block of any length', () => {
    for (const period of [1, 2, 7, 50, 96]) {
      const block = Array.from({ length: period }, (_, index) => index);
      expect(isLooping([900, 901, ...repeat(block, Math.ceil(600 / period))])).toBe(true);
    }
  });

  it('accepts tables, short repetitions and changing text', () => {
    expect(isLooping(repeat([5, 6], 60))).toBe(false);
    expect(isLooping(Array.from({ length: 1000 }, (_, index) => index))).toBe(false);
    expect(isLooping([...repeat([1, 2, 3], 200), 9])).toBe(false);
    expect(isLooping(Array.from({ length: 400 }, (_, index) => (index % 4 === 0 ? index : index % 4)))).toBe(false);
  });
});
