import { parseHTML } from 'linkedom';
import mammoth from 'mammoth';
import type { ParsedDocument } from './parsed-document.ts';

/** What is used of an element. The process has no types of a page. */
interface HtmlElement {
  readonly tagName: string;
  readonly textContent: string | null;
  readonly children: ArrayLike<HtmlElement> & Iterable<HtmlElement>;
  querySelectorAll(selector: string): Iterable<HtmlElement>;
  closest(selector: string): HtmlElement | null;
  replaceWith(text: string): void;
  remove(): void;
}

/** The text of a Word document as Markdown: headings, lists, tables and notes. Pictures are left out. */
export async function wordText(bytes: Uint8Array): Promise<ParsedDocument> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const noPicture = mammoth.images.imgElement(async () => ({ src: '' }));
  const { value } = await mammoth.convertToHtml({ buffer }, { convertImage: noPicture, externalFileAccess: false });
  const { document } = parseHTML(`<html><body>${value}</body></html>`);
  return { pages: 1, texts: [blocksOf(document.body).join('\n\n')] };
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
  const lines = rows.map((row) => `| ${[...row.children].map((cell) => cellText(cell)).join(' | ')} |`);
  const columns = rows[0]?.children.length ?? 0;
  return [...lines.slice(0, 1), `|${' --- |'.repeat(columns)}`, ...lines.slice(1)];
}

function cellText(cell: HtmlElement): string {
  const parts = cell.children.length === 0 ? [inline(cell)] : [...cell.children].map((child) => inline(child));
  return parts.join(' ').replaceAll('|', String.raw`\|`);
}

function inline(element: HtmlElement): string {
  for (const line of element.querySelectorAll('br')) line.replaceWith('\n');
  return (element.textContent ?? '').replaceAll(/[ \t]+/gu, ' ').trim();
}
