import { describe, expect, it } from 'vitest';
import { createAnswerText } from '../../../../../../src/main/models/engine/worker/answer/answer-text.ts';

/**
 * Each token is a byte, so that a character can be spread over several. `wait` advances the clock and runs what was
 * planned.
 */
function answer(stops: readonly string[] = []) {
  const shown: (readonly [text: string, tokens: number])[] = [];
  const planned: (() => void)[] = [];
  const clock = { ms: 1_000, reads: 0 };
  const text = createAnswerText<number>({
    textOf: (tokens) => {
      clock.reads += 1;
      return Buffer.from(tokens).toString('utf8');
    },
    stops,
    onText: (piece, tokens) => shown.push([piece, tokens]),
    now: () => clock.ms,
    later: (work) => planned.push(work),
  });
  return {
    text,
    shown,
    clock,
    planned,
    write: (written: string | Buffer): boolean[] => [...Buffer.from(written)].map((byte) => text.push(byte)),
    wait: (ms: number): void => {
      clock.ms += ms;
      for (const work of planned.splice(0)) work();
    },
  };
}

describe('the answer text', () => {
  it('shows the first word at once, later ones every tenth of a second, and the rest at the end', () => {
    const { text, shown, clock, write, wait } = answer();
    write('abc');
    wait(99);
    write('d');
    expect(shown).toEqual([['a', 1]]);
    wait(1);
    write('e');
    // The engine gets its next token before the last one is processed.
    expect(shown).toHaveLength(1);
    wait(2);
    expect(shown.at(-1)).toEqual(['bcde', 4]);
    write('fg');
    expect(text.end()).toBe(false);
    expect(shown.at(-1)).toEqual(['fg', 2]);
    expect(text.shown).toBe('abcdefg');
    expect(clock.reads).toBe(3);
  });

  it('plans one update for any number of tokens before it', () => {
    const { write, clock, planned } = answer();
    write('a');
    clock.ms += 100;
    write('bcd');
    expect(planned).toHaveLength(1);
  });

  it('shows what waits when a call is given up, without half a character', () => {
    const { text, shown, write, wait } = answer();
    write('ab');
    text.show();
    write(Buffer.from('c€').subarray(0, 3));
    text.show();
    wait(100);
    expect(shown).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    expect(text.shown).toBe('ab');
  });

  it('waits for the rest of a character, but not for ever', () => {
    const whole = answer();
    whole.write('€');
    expect(whole.shown).toEqual([['€', 3]]);
    const broken = answer();
    broken.write(Buffer.from([0xe2, 0xe2, 0xe2, 0xe2, 0xe2]));
    expect(broken.shown).toEqual([]);
    broken.write(Buffer.from([0xe2]));
    expect(broken.shown).toEqual([['\uFFFD'.repeat(6), 6]]);
  });

  it('ends with the token that completes a stop string', () => {
    const { text, shown, write } = answer(['END']);
    expect(write('a EN')).toEqual([false, false, false, false]);
    expect(write('D')).toEqual([true]);
    expect(shown.map(([piece]) => piece).join('')).toBe('a ');
    expect(text.shown).toBe('a ');
  });

  it('shows the beginning of a stop string that did not come', () => {
    const { text, write } = answer(['END']);
    write('a EN');
    expect(text.end()).toBe(false);
    expect(text.shown).toBe('a EN');
  });

  it('finds a stop string also in the last bytes', () => {
    const { text, write } = answer(['\uFFFD']);
    write(Buffer.from([0x61, 0xe2]));
    expect(text.end()).toBe(true);
    expect(text.shown).toBe('a');
  });
});
