import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { Markdown } from '../../../../src/renderer/ui/content/markdown.tsx';

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
