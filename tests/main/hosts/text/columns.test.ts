import { describe, expect, it } from 'vitest';
import { charactersOf, padLeft, padRight, widest } from '../../../../src/main/hosts/text/columns.ts';

describe('a text in columns of the terminal', () => {
  it.each([
    ['latin', 'abc', 3],
    ['a letter with a mark of its own', 'e\u0301', 1],
    ['Chinese', '修复', 4],
    ['Japanese, half as wide', 'ｶﾞ', 2],
    ['Korean', '한글', 4],
    ['a picture', '🚀', 2],
    ['a flag', '🇫🇷', 2],
    ['a family', '👩‍👩‍👧‍👦', 2],
    ['a picture by its selector', '❤️', 2],
  ])('is measured for %s', (_what, text, columns) => {
    expect([widest([text, '']), padRight(text, 6).length - text.length]).toEqual([columns, 6 - columns]);
    expect(padLeft(text, 6)).toBe(`${' '.repeat(6 - columns)}${text}`);
  });

  it('is cut only between whole characters', () => {
    const family = '👩‍👩‍👧‍👦';
    for (const before of ['', 'a', 'ab', 'abc', 'abcd', 'abcde']) {
      const read = [...charactersOf(before + family.repeat(300))].slice(before.length);
      expect(read).toEqual(Array.from({ length: 300 }, () => [family, 2]));
    }
  });

  it('keeps all of a character with endless marks', () => {
    const text = `a${'\u0301'.repeat(2_000)}b`;
    expect([...charactersOf(text)].map(([character]) => character).join('')).toBe(text);
  });
});
