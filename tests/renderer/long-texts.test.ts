import { describe, expect, it } from 'vitest';
import { diffRows } from '../../src/renderer/lib/drawing/diff-rows.ts';
import { displayLines, linePieces } from '../../src/renderer/lib/drawing/display-lines.ts';
import { foldedText } from '../../src/renderer/lib/drawing/folded-text.ts';
import { markdownParts } from '../../src/renderer/lib/drawing/markdown-parts.ts';
import { seenPieceText } from '../../src/renderer/lib/text/seen-piece-text.ts';
import { seenLine, seenName } from '@shared/text/seen-text.ts';

const lines = (count: number, text: string): string => Array.from({ length: count }, () => text).join('\n');

describe('a long line', () => {
  it('is drawn as several lines with the same text, and no character is split', () => {
    const pieces = linePieces(`x${'👩'.repeat(1200)}`);
    expect(pieces.join('')).toBe(`x${'👩'.repeat(1200)}`);
    expect(pieces.every((piece) => piece.length <= 1000 && !/[\ud800-\udfff]/u.test(piece))).toBe(true);
    expect(displayLines(`a\n\n${'b'.repeat(2500)}`).map((line) => line.length)).toEqual([1, 0, 1000, 1000, 500]);
  });

  it('of a diff has its line number once', () => {
    const rows = diffRows(`--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n+${'y'.repeat(1500)}\n z\n`);
    expect(rows.slice(1).map(({ kind, after, text }) => [kind, after, text.length])).toEqual([
      ['added', 1, 1000],
      ['added', null, 500],
      ['same', 2, 1],
    ]);
  });
});

describe('a long message', () => {
  it('is folded by its lines or characters, and a short one is not', () => {
    expect(foldedText(lines(40, 'word'))).toBeNull();
    expect(foldedText(lines(41, 'word'))?.split('\n').length).toBe(20);
    expect(foldedText('x'.repeat(1_000_000))?.length).toBe(2000);
  });
});

describe('Markdown that is too large for a frame', () => {
  it('is split around a large block of code, which is drawn as code', () => {
    const code = lines(3000, 'const a = 1;');
    expect(markdownParts(`Before.\n\n\`\`\`ts\n${code}\n\`\`\`\n\nAfter.`)).toEqual([
      { type: 'markdown', text: 'Before.\n' },
      { type: 'code', code, language: 'ts', isOpen: false },
      { type: 'markdown', text: '\n\nAfter.' },
    ]);
    expect(markdownParts(`\`\`\`ts\n${code}`)).toEqual([{ type: 'code', code, language: 'ts', isOpen: true }]);
  });

  it('shows an endless table as plain text', () => {
    const table = lines(100, `| ${'cell | '.repeat(100)}`);
    expect(markdownParts(`Before.\n\n${table}\n\nAfter.\n\nThe end.`)).toEqual([
      { type: 'markdown', text: 'Before.' },
      { type: 'code', code: table, language: '', isOpen: false },
      { type: 'markdown', text: 'After.\n\nThe end.' },
    ]);
  });
});

// Catches: an answer of 12 KB whose table became four million cells, and 20 KB of headings, which both stopped the window.
it('a text that would become far more than it is, is shown as it was written', () => {
  const table = `${'|a'.repeat(2_000)}\n${'|-'.repeat(2_000)}\n${'x\n'.repeat(2_000)}`;
  for (const costly of [table, 'a\n=\n'.repeat(4_000)]) {
    expect(markdownParts(`Before.[^1]\n\n${costly}\n[^1]: A note.`).every(({ type }) => type === 'code')).toBe(true);
    expect(markdownParts(costly).every(({ type }) => type === 'code')).toBe(true);
  }
  expect(markdownParts(`|a|b|\n|-|-|\n${'|1|2|\n'.repeat(200)}`)).toMatchObject([{ type: 'markdown' }]);
});

describe('the marking of hidden characters', () => {
  it('shows what hides or turns a part of a name, and leaves pictures and other scripts', () => {
    expect(seenName('src/\u202Ecod.exe\u202C\u0000\n')).toBe('src/<U+202E>cod.exe<U+202C><U+0000><U+000A>');
    expect(seenName('報告 תקציר 👨‍👩‍👧.md')).toBe('報告 תקציר 👨‍👩‍👧.md');
  });

  it('is the same in a line of code, except for tabs', () => {
    expect(seenLine('\tif (a\u2066)').map((piece) => [piece.kind, seenPieceText(piece)])).toEqual([
      ['plain', '\tif (a'],
      ['hidden', 'U+2066'],
      ['plain', ')'],
    ]);
  });
});

describe('Markdown with 100,000 fences', () => {
  it('is read to its end', () => {
    const parts = markdownParts('```\n'.repeat(100_000));
    expect(parts.length).toBeGreaterThan(10_000);
  });
});
