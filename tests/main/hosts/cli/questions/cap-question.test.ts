import { describeReachedCap } from '../../../../../src/main/hosts/text/cap-text.ts';
import { describe, expect, it } from 'vitest';
import { parseCapAnswer, raiseText } from '../../../../../src/main/hosts/cli/questions/cap-question.ts';

const reached = {
  type: 'cap-reached',
  v: 2,
  seq: 1,
  at: 0,
  capId: 'c',
  model: 'openai/gpt-5',
  scope: 'day',
  limitUsd: 1,
  spentUsd: 0.9,
  heldUsd: 0.05,
  worstUsd: 0.123,
  here: null,
} as const;

describe('the question at a cap', () => {
  it('names the limit, what is spent and what a short answer could cost', () => {
    expect(describeReachedCap(reached)).toBe(
      'the next call could exceed your limit of $1.0000 for today: $0.9000 is spent and $0.0500 is reserved, and even a short answer of openai/gpt-5 could cost $0.1230',
    );
  });

  it('suggests a raise that is enough for several steps', () => {
    // 0.073 are missing for the next call, and five steps cost 0.1.
    expect(raiseText({ ...reached, stepUsd: 0.02 })).toBe('raise 0.18');
    // Without a usual cost, the next call is the measure: 0.073 + 5 × 0.123.
    expect(raiseText(reached)).toBe('raise 0.69');
    expect(raiseText({ ...reached, worstUsd: null })).toBe('raise 0.01');
  });

  it.each([
    ['local', { answer: 'local' }],
    ['raise 0.5', { answer: 'raise', usd: 0.5 }],
    ['raise $2', { answer: 'raise', usd: 2 }],
    ['', { answer: 'stop' }],
    ['stop', { answer: 'stop' }],
    ['no', { answer: 'stop' }],
    // Bug: "y" stopped the work without a word.
    ['y', null],
    ['whatever', null],
    ['raise', null],
    ['raise -1', null],
    ['raise much', null],
  ])('takes "%s" for %o', (text, answer) => {
    expect(parseCapAnswer(text)).toEqual(answer);
  });
});
