import { describe, expect, it } from 'vitest';
import { keptMarksOf, lineMarksOf, lookUpsOf, marksOf } from '../../../src/shared/safety/fence-text.ts';

/** Catches: a copy of a fenced text that is free because somebody wrote it in another way. */

const names = 'Ada Heron\nBert Stork\nCleo Crane\nDan Egret\nEve Ibis\nFay Grebe\nGus Merlin\n';
const plan = 'The merger with Northern Lake is planned for the second week of May.\nSay nothing to anybody.\n';

function isKnown(fenced: string, copy: string, marks: Iterable<number> = marksOf(fenced)): boolean {
  const known = new Set(marks);
  return [...lookUpsOf(copy)].some((one) => known.has(one));
}

const ways: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'in capitals': (text) => text.toUpperCase(),
  'with other line ends': (text) => text.replaceAll('\n', '\r\n'),
  'with line separators of Unicode': (text) => text.replaceAll('\n', '\u2028'),
  'in one line': (text) => text.replaceAll('\n', ' '),
  indented: (text) => text.replaceAll(/^/gmu, '\t    '),
  'with blank lines between': (text) => text.replaceAll('\n', '\n\n'),
  quoted: (text) => text.replaceAll(/^/gmu, '> '),
  'as added lines': (text) => text.replaceAll(/^/gmu, '+'),
  'with numbers': (text) =>
    text
      .split('\n')
      .map((line, at) => `${at + 1}: ${line}`)
      .join('\n'),
  'with characters that nobody sees': (text) => text.replaceAll('e', 'e\u200b\u00ad'),
  'in wide letters': (text) => text.replaceAll(/[a-z]/gu, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)),
  'inside another text': (text) => `Dear all,\nhere it is:\n${text}Yours\n`,
  'without its beginning': (text) => text.slice(9),
};

describe('a copy of a fenced text', () => {
  it.each(Object.entries(ways))('is recognized %s', (_name, write) => {
    for (const text of [names, plan]) {
      expect(isKnown(text, write(text))).toBe(true);
      expect(isKnown(text, write(text), keptMarksOf(text))).toBe(true);
    }
    expect(isKnown(write(names), names)).toBe(true);
  });

  it('is recognized by whole lines in another case', () => {
    const known = new Set(lineMarksOf('Code word: Heron\n'));
    expect([...lineMarksOf('\t* CODE WORD: HERON\r\n')].some((one) => known.has(one))).toBe(true);
  });

  it('is not seen in short lines that many files have', () => {
    const code = 'for (;;) {\n  }\n}\n\n}\n});\n});\n]);\n}\n}\n}\n}\n}\n';
    expect(isKnown(`${code}${code}${code}${names}`, `${code}${code}${code}`)).toBe(false);
    expect([...marksOf('0\n'.repeat(200))]).toEqual([]);
    expect(isKnown(names, 'Zoe Heron\nYan Stork\nXu Crane\nWim Egret\nVic Ibis\nUte Grebe\nTom Merlin\n')).toBe(false);
  });
});
