import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { isCostlyMarkdown } from '@shared/text/costly-markdown.ts';
import { escapeHtml } from '@shared/text/escape-html.ts';
import { formulaBounds, formulaMark, formulaOptions, markMath } from '@shared/text/mark-math.ts';
import { seenLines } from '@shared/text/seen-text.ts';

/** A formula as MathML. Null: it cannot be drawn, and is shown as it was written. */
export type DrawFormula = (tex: string, isBlock: boolean) => string | null;

/** What the formulas of one page may cost together. Those after it are shown as they were written. */
const mostCost = 4_000;

/**
 * What draws the formulas of one page at each call. Loaded by itself, because few programs of the command line draw a
 * formula.
 */
export async function loadFormulas(): Promise<() => DrawFormula> {
  const { default: katex } = await import('katex');
  return () => {
    let left = mostCost;
    return (tex, isBlock) => {
      const bounds = formulaBounds(tex);
      if (bounds === null) return null;
      left -= bounds.cost;
      if (left < 0) return null;
      try {
        return katex.renderToString(tex, { ...formulaOptions, displayMode: isBlock, maxExpand: bounds.maxExpand });
      } catch {
        return null;
      }
    };
  };
}

/**
 * What a model said, as HTML, in pieces: headings, lists, tables, code and formulas. HTML in it stays text, an image is a
 * link, because the page loads nothing, and a link can only lead to the web or to a mail address. `id` keeps footnotes of
 * several answers apart. A part that is too much for the parser is shown as it was written.
 */
export function* proseHtml(text: string, id: string, draw: DrawFormula): Generator<string> {
  const seen = seenLines(text.trim());
  const parts = isMuch(seen) ? partsOf(seen) : [{ text: seen, isCode: false }];
  for (const part of parts) yield `${htmlOf(part, id, draw)}\n`;
}

function htmlOf({ text, isCode }: ProsePart, id: string, draw: DrawFormula): string {
  if (isCode ? text.length > mostCharacters : isMuch(text)) return `<pre>${escapeHtml(text)}</pre>`;
  // A wide table scrolls by itself, and a link says where it leads.
  const safe = formed(isCode ? text : markMath(text), id)
    .replaceAll('<table>', '<div class="wide"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll(/<a href="([^"#][^"]*)">/gu, '<a href="$1" title="$1" rel="noreferrer">');
  return safe.replaceAll(marked, (_code, block: string | undefined, span: string | undefined) => {
    const tex = plainText(block ?? span ?? '').trim();
    const drawn = draw(tex, block !== undefined);
    if (drawn === null)
      return block === undefined ? `<code>${escapeHtml(tex)}</code>` : `<pre>${escapeHtml(tex)}</pre>`;
    return block === undefined ? drawn : `<div class="wide">${drawn}</div>`;
  });
}

/** What `markMath` marked, a block or a span, as micromark writes it. */
const marked = new RegExp(
  `<pre><code class="language-math">([^<]*)</code></pre>|<code>${formulaMark}([^<]*)</code>`,
  'gu',
);

/** The text that `escapeHtml` and micromark escaped. */
function plainText(html: string): string {
  return html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

function formed(text: string, id: string): string {
  return micromark(text, {
    extensions: [gfm(), { disable: { null: ['labelStartImage'] } }],
    htmlExtensions: [gfmHtml({ clobberPrefix: `${id}-` })],
  });
}

const mostMarks = 1_000;
/** The parser takes up to a second for as much of the slowest kind. */
const mostCharacters = 50_000;

const isMuch = (text: string): boolean => text.length > mostCharacters || hasManyMarks(text) || isCostlyMarkdown(text);

/** For each of these marks the parser looks at the others: for 20,000 of them it would take minutes. */
function hasManyMarks(text: string): boolean {
  return (text.match(/[[\]*_~.)>:]|[-+](?=\s)/gu) ?? []).length > mostMarks;
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
