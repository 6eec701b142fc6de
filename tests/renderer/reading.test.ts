import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAnsi } from '../../src/renderer/lib/text/ansi-runs.ts';
import { groupByDay } from '../../src/renderer/lib/text/day-groups.ts';
import { diffRows } from '../../src/renderer/lib/drawing/diff-rows.ts';
import { seenPieceText } from '../../src/renderer/lib/text/seen-piece-text.ts';
import { seenPieces } from '@shared/text/seen-text.ts';
import { plural, t } from '../../src/renderer/lib/text/translate.ts';
import { en } from '../../src/renderer/texts/en.ts';
import { harmIn, hostileTexts } from '../fakes/hostile-texts.ts';

describe('the terminal output on screen', () => {
  it('keeps colors and weight, and drops all other control codes', () => {
    const text =
      'a\u001B[1;31mred\u001B[0m\u001B]0;title\u0007\u001B[2K\u001B[10Ab\u001B[38;5;2mg\u001B[38;2;1;2;3mt\u001B[39m.';
    expect(parseAnsi(text).map(({ text: run, color, isBold }) => [run, color, isBold])).toEqual([
      ['a', null, false],
      ['red', 1, true],
      ['b', null, false],
      ['g', 2, false],
      ['t', 2, false],
      ['.', null, false],
    ]);
  });

  it.each(Object.entries(hostileTexts))('shows nothing of %s that hides or turns a part of it', (_name, text) => {
    const runs = parseAnsi(`${text}| and the rest`);
    expect(runs.map((run) => harmIn(run.text)).filter((harm) => harm !== null)).toEqual([]);
    expect(runs.map((run) => run.text).join('')).toContain(' and the rest');
  });

  it('shows the last text of a line that was overwritten', () => {
    expect(parseAnsi('10 %\r50 %\r100 %\r\ndone\r\n').map((run) => run.text)).toEqual(['100 %\ndone\n']);
  });
});

describe('a text that a person judges', () => {
  const kinds = (text: string) => seenPieces(text).map((piece) => `${piece.kind}:${seenPieceText(piece)}`);

  it('has hidden characters written out', () => {
    expect(kinds('rm\u202Ea\u200Bb\u00A0c\u0007\n\t')).toEqual([
      'plain:rm',
      'hidden:U+202E',
      'plain:a',
      'hidden:U+200B',
      'plain:b',
      'hidden:U+00A0',
      'plain:c',
      'hidden:U+0007',
      'plain:\n\t',
    ]);
  });

  it('has the number of empty lines written out before what would be out of sight', () => {
    expect(kinds(`ls\n\n\nls${'\n \t'.repeat(60)}\ncurl`)).toEqual([
      'plain:ls\n\n\nls',
      'plain:\n',
      'empty-lines:60 empty lines',
      'plain:\n',
      'plain:curl',
    ]);
  });

  it('has a lookalike of a Latin letter marked among Latin ones, but not in other languages', () => {
    expect(kinds('p\u0430th \u043F\u0443\u0442\u044C caf\u00E9')).toEqual([
      'plain:p',
      'alike:\u0430',
      'plain:th \u043F\u0443\u0442\u044C caf\u00E9',
    ]);
  });
});

describe('the grouping of sessions by day', () => {
  it('goes by the calendar, not by 24 hours', () => {
    const now = new Date(2026, 10, 21, 0, 30).getTime();
    const at = (...date: readonly [number, number, number, number?]): { updatedAt: number } => ({
      updatedAt: new Date(...date).getTime(),
    });
    const items = [at(2026, 10, 21, 0), at(2026, 10, 20, 23), at(2026, 10, 15), at(2026, 9, 30), at(2025, 4, 1)];
    expect(groupByDay(items, now).map(({ key, items: held }) => [key, held.length])).toEqual([
      ['sessions.today', 1],
      ['sessions.yesterday', 1],
      ['sessions.week', 1],
      ['sessions.month', 1],
      ['May 2025', 1],
    ]);
  });
});

describe('a diff', () => {
  it('has the line numbers of both sides, and a removed line may begin with dashes', () => {
    const diff = '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ head\n same\n--- old\n+++ new\n\\ No newline at end of file\n';
    expect(diffRows(diff).map(({ kind, before, after, text }) => [kind, before, after, text])).toEqual([
      ['place', null, null, 'head'],
      ['same', 1, 1, 'same'],
      ['removed', 2, null, '-- old'],
      ['added', null, 2, '++ new'],
      ['same', null, null, '\\ No newline at end of file'],
    ]);
  });
});

describe('the texts of the window', () => {
  it.each(Object.entries(hostileTexts))('contain no %s, whatever is put in', (_name, text) => {
    expect(harmIn(t('sessions.noMatch', { text }))).toBeNull();
  });

  it('contain their values, and the form for a count', () => {
    expect(t('sessions.noMatch', { text: '{x} $&' })).toBe('No title or project matches “{x} $&”.');
    expect([plural('sessions.steps', 1), plural('sessions.steps', 0)]).toEqual(['1 step', '0 steps']);
  });

  it('are all shown somewhere', () => {
    const source = filesUnder('src/renderer')
      .filter((path) => !path.includes('texts/en'))
      .map((path) => readFileSync(path, 'utf8'))
      .join('\n');
    const prefixes = [...source.matchAll(/`([a-zA-Z-]+(?:\.[a-zA-Z-]+)*\.)\$\{/gu)].map((match) => match[1] ?? '');
    const unused = Object.keys(en).filter((key) => {
      const base = key.replace(/\.(?:one|other)$/u, '');
      return !source.includes(`'${base}'`) && !prefixes.some((prefix) => key.startsWith(prefix));
    });
    expect(unused).toEqual([]);
  });
});

function filesUnder(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesUnder(path) : [path];
  });
}
