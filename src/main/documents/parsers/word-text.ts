import { strFromU8, unzipSync } from 'fflate';
import { parseHTML } from 'linkedom';
import mammoth from 'mammoth';
import type { ParsedDocument } from './parsed-document.ts';

/** What is used of an element. The process has no types of a page. */
interface HtmlElement {
  readonly tagName: string;
  readonly textContent: string | null;
  readonly children: ArrayLike<HtmlElement> & Iterable<HtmlElement>;
  getAttribute(name: string): string | null;
  querySelectorAll(selector: string): Iterable<HtmlElement>;
  closest(selector: string): HtmlElement | null;
  replaceWith(text: string): void;
  remove(): void;
}

/**
 * The text of a Word document as Markdown: headings, lists, tables and notes. Pictures are left out. Tracked changes are
 * read as if all of them were accepted, and the first line says that there are some.
 */
export async function wordText(bytes: Uint8Array): Promise<ParsedDocument> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const noPicture = mammoth.images.imgElement(async () => ({ src: '' }));
  const { value } = await mammoth.convertToHtml({ buffer }, { convertImage: noPicture, externalFileAccess: false });
  const { document } = parseHTML(`<html><body>${value}</body></html>`);
  const note = trackedChanges(bytes);
  return { pages: 1, texts: [[...(note === '' ? [] : [note]), ...blocksOf(document.body)].join('\n\n')] };
}

/** The bytes must have been checked. */
function trackedChanges(bytes: Uint8Array): string {
  const body = unzipSync(bytes, { filter: ({ name }) => /^word\/document\d{0,3}\.xml$/u.test(name) });
  const text = Object.values(body)
    .map((content) => strFromU8(content))
    .join('\n');
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  const added = count(/<w:(?:ins|moveTo)[\s>]/gu);
  const removed = count(/<w:(?:del|moveFrom)[\s>]/gu);
  if (added + removed === 0) return '';
  return `[Tracked changes: ${added} added and ${removed} removed places are not accepted yet. This is the text with all of them accepted.]`;
}

function blocksOf(parent: HtmlElement): readonly string[] {
  return [...parent.children].flatMap((child) => blockOf(child)).filter((block) => block.trim() !== '');
}

function blockOf(element: HtmlElement): readonly string[] {
  const name = element.tagName.toLowerCase();
  const level = /^h([1-6])$/u.exec(name)?.[1];
  if (level !== undefined) return [`${'#'.repeat(Number(level))} ${inline(element)}`];
  if (name === 'ul' || name === 'ol') return [listLines(element, '').join('\n')];
  if (name === 'table') return [tableLines(element).join('\n')];
  if (name === 'div' || name === 'section' || name === 'blockquote') return blocksOf(element);
  return [inline(element)];
}

function listLines(list: HtmlElement, indent: string): readonly string[] {
  const isOrdered = list.tagName.toLowerCase() === 'ol';
  return [...list.children].flatMap((item, index) => {
    const inner = [...item.children].filter((child) => /^[uo]l$/iu.test(child.tagName));
    for (const one of inner) one.remove();
    const mark = isOrdered ? `${index + 1}.` : '-';
    return [`${indent}${mark} ${inline(item)}`, ...inner.flatMap((one) => listLines(one, `${indent}  `))];
  });
}

function tableLines(table: HtmlElement): readonly string[] {
  const rows = [...table.querySelectorAll('tr')].filter((row) => row.closest('table') === table);
  const cells = cellsOf(rows);
  const lines = cells.map((row) => `| ${row.join(' | ')} |`);
  const columns = cells[0]?.length ?? 0;
  return [...lines.slice(0, 1), `|${' --- |'.repeat(columns)}`, ...lines.slice(1)];
}

/** No table of a document is wider or longer than this. */
const mostSpan = 1_000;

/** A merged cell has its text at its first place, and nothing at the others, so that columns stay columns. */
function cellsOf(rows: readonly HtmlElement[]): readonly (readonly string[])[] {
  /** How many rows below are still taken, by column. */
  const taken: number[] = [];
  return rows.map((row) => {
    const texts: string[] = [];
    const takenHere = (): boolean => (taken[texts.length] ?? 0) > 0;
    const skip = (): void => {
      taken[texts.length] = (taken[texts.length] ?? 0) - 1;
      texts.push('');
    };
    for (const cell of row.children) {
      while (takenHere()) skip();
      const below = spanOf(cell, 'rowspan') - 1;
      const columns = spanOf(cell, 'colspan');
      for (let column = 0; column < columns; column += 1) {
        taken[texts.length] = below;
        texts.push(column === 0 ? cellText(cell) : '');
      }
    }
    while (takenHere()) skip();
    return texts;
  });
}

function spanOf(cell: HtmlElement, name: string): number {
  return Math.min(mostSpan, Math.max(1, Math.floor(Number(cell.getAttribute(name) ?? 1)) || 1));
}

function cellText(cell: HtmlElement): string {
  const parts = cell.children.length === 0 ? [inline(cell)] : [...cell.children].map((child) => inline(child));
  return parts.join(' ').replaceAll('|', String.raw`\|`);
}

function inline(element: HtmlElement): string {
  for (const line of element.querySelectorAll('br')) line.replaceWith('\n');
  return (element.textContent ?? '').replaceAll(/[ \t]+/gu, ' ').trim();
}
