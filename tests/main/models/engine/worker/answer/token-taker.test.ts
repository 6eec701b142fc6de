import { describe, expect, it } from 'vitest';
import type { Token } from 'node-llama-cpp';
import { createAnswerText } from '../../../../../../src/main/models/engine/worker/answer/answer-text.ts';
import { createTokenTaker } from '../../../../../../src/main/models/engine/worker/answer/token-taker.ts';

/** Each token is a character code. */
function taking(most: number, stops: readonly string[] = []) {
  const shown: string[] = [];
  const answer = createAnswerText<Token>({
    textOf: (tokens) => String.fromCodePoint(...tokens),
    stops,
    onText: (text) => shown.push(text),
    now: () => 0,
    later: () => undefined,
  });
  const taker = createTokenTaker(answer, most);
  const say = (text: string) => Array.from(text, (one) => taker.push((one.codePointAt(0) ?? 0) as Token));
  return { taker, say, text: () => shown.join('') };
}

describe('the tokens of an answer', () => {
  it('go on until the model ends, and all are shown then', () => {
    const { taker, say, text } = taking(100);
    expect(say('abc')).toEqual([null, null, null]);
    expect(taker.end()).toBe('stop');
    expect(text()).toBe('abc');
    expect(taker.tokens).toHaveLength(3);
  });

  it('end at the limit, all shown', () => {
    const { say, text } = taking(3);
    expect(say('abc')).toEqual([null, null, 'length']);
    expect(text()).toBe('abc');
  });

  it('end before a stop text, also when it spans pieces', () => {
    const { say, text } = taking(100, ['--']);
    expect(say('ab--')).toEqual([null, null, null, 'stop-sequence']);
    expect(text()).toBe('ab');
    const cut = taking(100, ['--']);
    cut.say('ab-');
    expect(cut.taker.end()).toBe('stop');
    expect(cut.text()).toBe('ab-');
  });

  it('end when they repeat in a circle', () => {
    const { say } = taking(1000);
    expect(say('na '.repeat(200)).find((reason) => reason !== null)).toBe('repetition');
  });
});
