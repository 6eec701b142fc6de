import { describe, expect, it } from 'vitest';
import { chunkPieces, documentChunks } from '../../../src/main/documents/search/document-chunks.ts';

const filler = (lines: number): string[] => Array.from({ length: lines }, (_, at) => `Sentence ${at} of some prose.`);

describe('the chunks of a document', () => {
  it('begin at headings and have the titles above them', () => {
    const text = ['# Guide', ...filler(50), '## Install', ...filler(50), '### On Linux', 'apt', '# Other', 'x'].join(
      '\n',
    );
    const chunks = documentChunks(text);
    expect(chunks.map(({ fromLine, titles }) => [fromLine, titles])).toEqual([
      [1, ['Guide']],
      [52, ['Guide', 'Install']],
      [103, ['Guide', 'Install', 'On Linux']],
    ]);
    expect(chunks.at(-1)?.toLine).toBe(106);
  });

  it('have underlined titles, and the page where they begin', () => {
    const text = ['[Page 1 of 2]', 'Report', '======', ...filler(50), '[Page 2 of 2]', ...filler(3)].join('\n');
    expect(documentChunks(text).map(({ fromLine, page, titles }) => [fromLine, page, titles])).toEqual([
      [1, 1, []],
      [54, 2, ['Report']],
    ]);
  });

  /** Catches: a part over many short pages, which is cited by its first page wherever the words stand. */
  it('end with their page, however short it is, and take short cells together', () => {
    const pages = ['[Page 1 of 3]', 'Cover', '[Page 2 of 3]', '24 volts', '[Page 3 of 3]', 'Index'].join('\n');
    expect(documentChunks(pages).map(({ page }) => page)).toEqual([1, 2, 3]);
    expect(documentChunks(pages.replaceAll('[Page', '[Cell')).map(({ page }) => page)).toEqual([1]);
  });

  it('cover every line once, whatever the text is', () => {
    const texts = [
      '',
      'x',
      '\n\n\n',
      filler(2000).join('\n'),
      '# a\n'.repeat(500),
      'word '.repeat(100_000),
      '```\n# no\n```',
    ];
    for (const text of texts) {
      const chunks = documentChunks(text);
      const covered = chunks.flatMap(({ fromLine, toLine }) =>
        Array.from({ length: toLine - fromLine + 1 }, (_, at) => fromLine + at),
      );
      const filled = text.split('\n').flatMap((line, at) => (line.trim() === '' ? [] : [at + 1]));
      expect(new Set(covered).size).toBe(covered.length);
      expect(filled.filter((line) => !covered.includes(line))).toEqual([]);
      expect(Math.max(0, ...chunks.map((chunk) => chunk.text.length))).toBeLessThan(24_000);
    }
  });
});

describe('the pieces of a chunk, for one vector each', () => {
  // Catches: a piece that an embedding model cuts, words that no piece has, and a mark that makes all pages alike.
  it('are short, have every word once and no mark of a page', () => {
    const long = 'w'.repeat(1_000);
    const pieces = chunkPieces('Guide', ['[Page 3 of 9]', ...filler(60), long].join('\n'));
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(451);
    expect(pieces.join('\n')).not.toContain('[Page');
    for (const sentence of filler(60)) expect(pieces.filter((piece) => piece.includes(sentence))).toHaveLength(1);
    expect(
      pieces
        .join('')
        .match(/w{100,}/gu)
        ?.join(''),
    ).toHaveLength(1_000);
  });

  it('are the headings where there are no other words', () => {
    expect(chunkPieces('Guide', '[Page 3 of 9]\n\n')).toEqual(['Guide']);
  });
});
