import { describe, expect, it } from 'vitest';
import {
  chooseSequence,
  commonPrefix,
} from '../../../../../../src/main/models/engine/worker/sequences/choose-sequence.ts';
import type { SequenceHolder } from '../../../../../../src/main/models/engine/worker/sequences/choose-sequence.ts';

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);
const holder = (key: string | null, tokens: readonly number[], usedAt = 0): SequenceHolder => ({ key, tokens, usedAt });

describe('the common prefix', () => {
  it('counts the tokens that both prompts begin with', () => {
    expect(commonPrefix([1, 2, 3], [1, 2, 4])).toBe(2);
    expect(commonPrefix([1, 2], [1, 2, 3])).toBe(2);
    expect(commonPrefix([], [1])).toBe(0);
  });
});

describe('the choice of a sequence', () => {
  it('continues the sequence of a conversation that grows', () => {
    const holders = [holder('a', range(0, 500), 1), holder('b', range(1000, 1500), 2)];
    expect(chooseSequence(holders, range(0, 600), 'a')).toEqual({ type: 'continue', index: 0, kept: 500 });
  });

  it('gives a prompt that shares only its system text its own sequence, filled from the other', () => {
    const holders = [holder('a', [...range(0, 40), ...range(100, 600)], 1), holder(null, [])];
    expect(chooseSequence(holders, [...range(0, 40), ...range(2000, 2500)], 'a')).toEqual({
      type: 'take',
      index: 1,
      from: 0,
      kept: 40,
    });
  });

  it('finds an earlier prompt among the kept sequences', () => {
    const fix = [...range(0, 40), ...range(100, 600)];
    const body = [...range(0, 40), ...range(2000, 2500)];
    const holders = [holder('a', fix, 1), holder('a', body, 2)];
    expect(chooseSequence(holders, fix, 'a')).toEqual({ type: 'continue', index: 0, kept: fix.length });
  });

  it('takes the sequence that was unused for longest when all are full', () => {
    const holders = [
      holder('a', range(0, 100), 5),
      holder('b', range(1000, 1100), 3),
      holder('c', range(2000, 2100), 4),
    ];
    expect(chooseSequence(holders, range(9000, 9100), 'd')).toEqual({ type: 'take', index: 1, from: null, kept: 0 });
  });

  it('reuses the only sequence', () => {
    expect(chooseSequence([holder('a', range(0, 100), 1)], range(50, 150), 'b')).toEqual({
      type: 'continue',
      index: 0,
      kept: 0,
    });
  });

  it('continues its own sequence when only the last answer is lost', () => {
    const holders = [holder('a', range(0, 130), 1), holder(null, [])];
    expect(chooseSequence(holders, [...range(0, 100), ...range(5000, 5400)], 'a')).toEqual({
      type: 'continue',
      index: 0,
      kept: 100,
    });
  });
});
