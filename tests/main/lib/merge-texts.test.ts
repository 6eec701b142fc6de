import { describe, expect, it } from 'vitest';
import { mergeTexts } from '../../../src/main/lib/merge-texts.ts';

const base = 'one\ntwo\nthree\nfour\nfive\n';

/** Catches: a merge that drops or repeats lines of one side. */
describe('two versions of a text', () => {
  it('are merged when they change different places', () => {
    expect(mergeTexts(base, base.replace('two', 'zwei'), `${base}six\n`)).toBe('one\nzwei\nthree\nfour\nfive\nsix\n');
    expect(mergeTexts(base, base.replace('one\n', ''), base.replace('four', '4\n4b'))).toBe(
      'two\nthree\n4\n4b\nfive\n',
    );
  });

  it('are merged when both make the same change, which counts once', () => {
    const both = base.replace('two', 'zwei');
    expect(mergeTexts(base, both, `${both}six\n`)).toBe(`${both}six\n`);
  });

  it('are not merged when they change the same line, or lines beside each other', () => {
    expect(mergeTexts(base, base.replace('two', 'zwei'), base.replace('two', 'deux'))).toBeNull();
    expect(mergeTexts(base, base.replace('two', 'zwei'), base.replace('three', 'trois'))).toBeNull();
    expect(mergeTexts(base, `${base}six\n`, `${base}sept\n`)).toBeNull();
  });

  // Bug: a file of 200,000 lines ended in "Maximum call stack size exceeded".
  it('are merged when they have very many lines', () => {
    const many = Array.from({ length: 200_000 }, (_, at) => `${at}\n`).join('');
    expect(mergeTexts(many, `${many}end\n`, many.replace('0\n', 'start\n'))).toBe(
      `${many.replace('0\n', 'start\n')}end\n`,
    );
  });

  it('keep their line ends and a missing one at the end', () => {
    expect(mergeTexts('a\r\nb\r\nc\r\nd', 'A\r\nb\r\nc\r\nd', 'a\r\nb\r\nc\r\nD')).toBe('A\r\nb\r\nc\r\nD');
  });
});
