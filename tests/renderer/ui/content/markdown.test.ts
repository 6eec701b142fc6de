import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { markdownParts } from '../../../../src/renderer/lib/drawing/markdown-parts.ts';
import { Markdown } from '../../../../src/renderer/ui/content/markdown.tsx';
import MarkdownView from '../../../../src/renderer/ui/content/markdown-view.tsx';

/**
 * Catches: a frame that has to parse ten thousand characters of a step, or parse the whole text again for each new
 * word.
 */
it('the Markdown of a growing text is drawn in pieces, and finished pieces stay as they are', () => {
  const paragraphs = Array.from({ length: 60 }, (_, index) => `Paragraph ${index}. ${'Words of it. '.repeat(15)}`);
  const piecesOf = (text: string, isGrowing: boolean): readonly string[] =>
    [...renderToStaticMarkup(createElement(Markdown, { text, isGrowing })).matchAll(/<p[^>]*>([^<]*)</gu)].map(
      ([, piece = '']) => piece,
    );
  const whole = piecesOf(paragraphs.join('\n\n'), false);
  expect(whole.length).toBeGreaterThan(15);
  expect(Math.max(...whole.map((piece) => piece.length))).toBeLessThan(1000);
  const half = piecesOf(paragraphs.slice(0, 30).join('\n\n'), true);
  expect(half.length).toBeGreaterThan(5);
  expect(whole.slice(0, half.length - 1)).toEqual(half.slice(0, -1));
});

const drawn = (text: string): string => renderToStaticMarkup(createElement(MarkdownView, { text, isGrowing: false }));

/** Catches: a number that shows an address inside the page, and a note that is cut off from its number. */
it('a footnote is a number with its note at the end, in an answer of any usual length', () => {
  const text = `A claim[^1], and more[^note].\n\n${'Words of it. '.repeat(300)}\n\n[^1]: The source.\n[^note]: Another one.`;
  expect(markdownParts(text)).toEqual([{ type: 'markdown', text }]);
  const html = drawn(text);
  expect(html).toMatch(/claim<sup[^>]*>1<\/sup>, and more<sup[^>]*>2<\/sup>/u);
  expect(html).toContain('The source.');
  expect(html).not.toContain('user-content-fnref');
  expect(html).not.toContain('(#');
});

it('a check list is drawn with boxes that say what is done', () => {
  const html = drawn('- [x] build\n- [ ] test');
  expect(html.match(/<input[^>]*>/gu)).toHaveLength(2);
  expect(html).toMatch(/<input[^>]*aria-label="Done"[^>]*checked=""[^>]*> build/u);
  expect(html).toMatch(/<input[^>]*aria-label="Not done"[^>]*> test/u);
});
