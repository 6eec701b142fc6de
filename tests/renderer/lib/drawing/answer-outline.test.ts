import { describe, expect, it } from 'vitest';
import { answerOutline, headingKey } from '../../../../src/renderer/lib/drawing/answer-outline.ts';

const paragraph = 'A sentence that says something about it. '.repeat(20);

describe('the outline of an answer', () => {
  it('lists the headings with their depth and their piece of text', () => {
    const text = [
      '# Setup',
      paragraph,
      '## With `npm` and [a link](https://example.com)',
      paragraph,
      '## *Then* ##',
      paragraph,
    ]
      .join('\n\n')
      .concat('\n\n#### Deep\n\nend');
    expect(answerOutline(text)).toEqual([
      { text: 'Setup', depth: 0, piece: 0 },
      { text: 'With npm and a link', depth: 1, piece: 1 },
      { text: 'Then', depth: 1, piece: 2 },
      { text: 'Deep', depth: 3, piece: 2 },
    ]);
  });

  it('leaves out what only looks like a heading', () => {
    const text = '# One\n\n```sh\n# a comment\n## another\n```\n\n#hashtag\n\n    # code\n\n# Two\n\n# Three';
    expect(answerOutline(text).map(({ text: words }) => words)).toEqual(['One', 'Two', 'Three']);
  });

  it('exists for three headings, or for two in a text longer than two screens', () => {
    expect(answerOutline('# A\n\nb\n\n# C')).toEqual([]);
    expect(answerOutline(`# A\n\n${`${paragraph}\n\n`.repeat(10)}# C`)).toHaveLength(2);
    expect(answerOutline(paragraph.repeat(50))).toEqual([]);
  });

  it('recognizes a heading in the drawn answer', () => {
    expect(headingKey('  With `npm`, e.g. “ü” ')).toBe('withnpmegü');
  });
});
