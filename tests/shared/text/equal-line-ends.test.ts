import { describe, expect, it } from 'vitest';
import { withoutEqualEnds } from '../../../src/shared/text/equal-line-ends.ts';

const diff = (...lines: readonly string[]): string => ['--- a/x', '+++ b/x', ...lines].join('\n');

describe('a diff without equal line ends', () => {
  it('marks no line of a file that is from Windows and stays so', () => {
    const windows = diff(
      '@@ -1,3 +1,4 @@',
      ' a\r',
      '-b\r',
      '+bb\r',
      '+c\r',
      ' d\r',
      '@@ -9,2 +10,2 @@',
      ' x\r',
      '-y\r',
      '+z',
    );
    const shown = diff('@@ -1,3 +1,4 @@', ' a', '-b', '+bb', '+c', ' d', '@@ -9,2 +10,2 @@', ' x', '-y\r', '+z');
    expect(withoutEqualEnds(windows)).toBe(shown);
  });

  it('shows where line ends change, and where new lines have others than the lines around them', () => {
    const converted = diff('@@ -1,1 +1,1 @@', '-a\r', '+a');
    const strange = diff('@@ -1,1 +1,2 @@', ' a', '+b\r');
    expect([withoutEqualEnds(converted), withoutEqualEnds(strange)]).toEqual([converted, strange]);
  });

  it('knows that a last line may have no end, and that a carriage return in a line is part of it', () => {
    const text = diff('@@ -1,2 +1,2 @@', '-a\rb\r', '+c\r', ' d', '\\ No newline at end of file');
    expect(withoutEqualEnds(text)).toBe(diff('@@ -1,2 +1,2 @@', '-a\rb', '+c', ' d', '\\ No newline at end of file'));
  });

  it('hides a byte order mark that stays, and shows one that comes or goes', () => {
    const kept = diff('@@ -1,2 +1,2 @@', ' \uFEFFa', '-b', '+c');
    const both = diff('@@ -1,1 +1,1 @@', '-\uFEFFa', '+\uFEFFb');
    const gone = diff('@@ -1,1 +1,1 @@', '-\uFEFFa', '+a');
    expect([kept, both, gone].map(withoutEqualEnds)).toEqual([
      diff('@@ -1,2 +1,2 @@', ' a', '-b', '+c'),
      diff('@@ -1,1 +1,1 @@', '-a', '+b'),
      gone,
    ]);
  });
});
