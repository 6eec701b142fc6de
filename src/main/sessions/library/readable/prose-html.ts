import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { seenLines } from '@shared/text/seen-text.ts';

/**
 * What a model said, as HTML: headings, lists, tables and code. HTML in it stays text, an image is a link, because the
 * page loads nothing, and a link can only lead to the web or to a mail address. `id` keeps footnotes of several answers
 * apart.
 */
export function proseHtml(text: string, id: string): string {
  const html = micromark(seenLines(text.trim()), {
    extensions: [gfm(), { disable: { null: ['labelStartImage'] } }],
    htmlExtensions: [gfmHtml({ clobberPrefix: `${id}-` })],
  });
  // A wide table scrolls by itself, and a link says where it leads.
  return html
    .replaceAll('<table>', '<div class="wide"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll(/<a href="([^"#][^"]*)">/gu, '<a href="$1" title="$1" rel="noreferrer">');
}
