import { describe, expect, it } from 'vitest';
import {
  describeReachedCap,
  minimumRaise,
  parseCapAnswer,
} from '../../../../../src/main/hosts/cli/questions/cap-question.ts';

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
  it('names the figures and offers a raise that is enough for the next call', () => {
    expect(describeReachedCap(reached)).toBe(
      'the next call to openai/gpt-5 could cost $0.1230; of the limit of $1.0000 for today, $0.9000 is spent and $0.0500 is reserved',
    );
    const { limitUsd, spentUsd, heldUsd, worstUsd } = reached;
    expect(minimumRaise(reached)).toBe(0.08);
    expect(limitUsd + minimumRaise(reached)).toBeGreaterThanOrEqual(spentUsd + heldUsd + worstUsd);
  });

  it.each([
    ['local', { answer: 'local' }],
    ['raise 0.5', { answer: 'raise', usd: 0.5 }],
    ['raise $2', { answer: 'raise', usd: 2 }],
    ['', { answer: 'stop' }],
    ['whatever', { answer: 'stop' }],
    ['raise', null],
    ['raise -1', null],
    ['raise much', null],
  ])('takes "%s" for %o', (text, answer) => {
    expect(parseCapAnswer(text)).toEqual(answer);
  });
});
