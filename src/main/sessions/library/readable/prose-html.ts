import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { escapeHtml } from '@shared/text/escape-html.ts';
import { seenLines } from '@shared/text/seen-text.ts';

/**
 * What a model said, as HTML: headings, lists, tables and code. HTML in it stays text, an image is a link, because the
 * page loads nothing, and a link can only lead to the web or to a mail address. `id` keeps footnotes of several answers
 * apart. A part with very many marks is shown as it was written.
 */
export function proseHtml(text: string, id: string): string {
  const seen = seenLines(text.trim());
  const parts = hasManyMarks(seen) ? partsOf(seen) : [{ text: seen, isCode: false }];
  const html = parts
    .map((part) =>
      !part.isCode && hasManyMarks(part.text) ? `<pre>${escapeHtml(part.text)}</pre>` : formed(part.text, id),
    )
    .join('\n');
  // A wide table scrolls by itself, and a link says where it leads.
  return html
    .replaceAll('<table>', '<div class="wide"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll(/<a href="([^"#][^"]*)">/gu, '<a href="$1" title="$1" rel="noreferrer">');
}

function formed(text: string, id: string): string {
  return micromark(text, {
    extensions: [gfm(), { disable: { null: ['labelStartImage'] } }],
    htmlExtensions: [gfmHtml({ clobberPrefix: `${id}-` })],
  });
}

const mostMarks = 1_000;

/** For each of these marks the parser looks at the others: for 20,000 of them it would take minutes. */
function hasManyMarks(text: string): boolean {
  return (text.match(/[[\]*_~.)>]|[-+](?=\s)/gu) ?? []).length > mostMarks;
}

interface ProsePart {
  readonly text: string;
  /** A block of code between fences. Marks in it are no marks. */
  readonly isCode: boolean;
}

/** Cuts a text at its blocks of code and its headings, where no list or paragraph goes on. */
function partsOf(text: string): readonly ProsePart[] {
  const parts: ProsePart[] = [];
  let lines: string[] = [];
  let fence: string | null = null;
  const end = (isCode: boolean): void => {
    if (lines.length > 0) parts.push({ text: lines.join('\n'), isCode });
    lines = [];
  };
  for (const line of text.split('\n')) {
    if (fence !== null) {
      lines.push(line);
      if (!line.startsWith(fence) || line.replace(/^[`~]+/u, '').trim() !== '') continue;
      fence = null;
      end(true);
      continue;
    }
    const opened = /^(?:`{3,}(?=[^`]*$)|~{3,})/u.exec(line)?.[0];
    if (opened !== undefined || /^#{1,6} /u.test(line)) end(false);
    lines.push(line);
    fence = opened ?? null;
  }
  end(fence !== null);
  return parts;
}
