import type { CitedPlace } from '@shared/documents/cited-part.ts';

/** A citation in a text, and the place that it means. */
export interface Citation {
  readonly start: number;
  readonly end: number;
  readonly place: CitedPlace;
}

/** The rest of a longer name is not looked at. */
const longestName = 200;
const longestPlace = 100;
const wordOf = {
  page: 'page',
  'p.': 'page',
  'pp.': 'page',
  pages: 'page',
  sheet: 'sheet',
  cell: 'cell',
} as const;

const documents = 'pdf|docx|docm|xlsx|xlsm|csv|tsv|ipynb|md|mdx|markdown|rst|adoc|txt|org|html?';
/** Any other file needs a line behind it: `app.py` alone may be a word. */
const endings = new RegExp(
  String.raw`\.(?:${documents}|[a-z][a-z\d+]{0,9}(?=:\d|,? \(?lines? \d))(?![\p{L}\p{N}_])`,
  'giu',
);
const documentEnd = new RegExp(String.raw`\.(?:${documents})$`, 'iu');

/** Whether a file is code or the like, which an editor opens. */
export function isOfEditor(path: string): boolean {
  return !documentEnd.test(path);
}

/**
 * The places of files in a prose, such as `report.pdf, page 3`, `sales.xlsx, May!B4` or `src/app.py:12`. A cell without
 * a file belongs to the workbook before it.
 */
export function citationsIn(text: string): readonly Citation[] {
  const found: Citation[] = [];
  let book: string | null = null;
  let at = 0;
  for (const { index, 0: ending } of text.matchAll(endings)) {
    const start = nameStart(text, Math.max(at, index - longestName), index);
    const nameEnd = index + ending.length;
    if (start === index || nameEnd <= at) continue;
    if (book !== null) found.push(...cellsIn(text, at, start, book));
    const path = text.slice(start, nameEnd).replace(/^\.\//u, '');
    book = isTable(path) ? path : null;
    const placed = placeAfter(text.slice(nameEnd, nameEnd + longestPlace), path);
    at = nameEnd + (placed?.length ?? 0);
    if (placed !== null) found.push({ start, end: at, place: { path, ...placed.place } });
  }
  if (book !== null) found.push(...cellsIn(text, at, text.length, book));
  return found;
}

/** Whether a text is the name of a document and nothing else. It may have blanks in it. */
export function isDocumentName(text: string): boolean {
  return text.length <= longestName && /\.(?:pdf|docx|docm|xlsx|xlsm|csv|tsv|ipynb)$/iu.test(text);
}

/** The place that the words after the name of a document say. Null: they say none. */
export function placeAfter(
  text: string,
  path: string,
): { readonly place: Omit<CitedPlace, 'path'>; readonly length: number } | null {
  const lines = /^:(\d{1,7})(?:[-–]\d{1,7}|:\d{1,7})?/u.exec(text);
  const line = lines === null ? {} : { line: Number(lines[1]) };
  const rest = text.slice(lines?.[0].length ?? 0);
  const [said, , word, number] =
    /^(,? \(?|\s\[)(page|pages|p\.|pp\.|sheet|cell|line|lines) ?#?(\d{1,7})(?:[-–]\d{1,7})?/iu.exec(rest) ?? [];
  if (said !== undefined && word !== undefined) {
    const length = (lines?.[0].length ?? 0) + said.length;
    if (/^line/iu.test(word)) return { place: { line: Number(number) }, length };
    const part = { word: kindOf(word), number: Number(number) };
    return { place: { ...line, part }, length };
  }
  const cell = isTable(path) && lines === null ? cellAt(rest) : null;
  if (cell !== null) return cell;
  return lines === null ? null : { place: line, length: lines[0].length };
}

function kindOf(word: string): 'page' | 'sheet' | 'cell' {
  return Object.entries(wordOf).find(([one]) => one === word.toLowerCase())?.[1] ?? 'page';
}

const isTable = (path: string): boolean => /\.(?:xlsx|xlsm|csv|tsv)$/iu.test(path);

/** `, May!B4`, ` 'May 26'!B4` or `!B4`. */
function cellAt(text: string): { readonly place: Pick<CitedPlace, 'cell'>; readonly length: number } | null {
  const found = /^(?:[,:]? ?\(?)(?:'([^'!\n]{1,31})'|([\p{L}\p{N}_.-]{1,31}))?!\$?([A-Z]{1,3})\$?(\d{1,7})(?!\w)/u.exec(
    text,
  );
  if (found === null) return null;
  const [all, quoted, plain, letters, row] = found;
  return { place: { cell: { sheet: quoted ?? plain, cell: `${letters}${row}` } }, length: all.length };
}

/** Cells with the name of a sheet, in a part of a text that names no other file. */
function cellsIn(text: string, from: number, to: number, path: string): readonly Citation[] {
  const cells =
    /(?<![\p{L}\p{N}_.'-])(?:'([^'!\n]{1,31})'|([\p{L}\p{N}_.-]{1,31}))!\$?([A-Z]{1,3})\$?(\d{1,7})(?!\w)/gu;
  return [...text.slice(from, to).matchAll(cells)].map((found) => {
    const [all, quoted, plain, letters, row] = found;
    const start = from + found.index;
    const place = { path, cell: { sheet: quoted ?? plain, cell: `${letters}${row}` } };
    return { start, end: start + all.length, place };
  });
}

/** Where the name begins that ends here. A name in prose has no blanks. */
function nameStart(text: string, least: number, end: number): number {
  let start = end;
  while (start > least && /[\p{L}\p{N}\p{M}_@+./~%&#=-]/u.test(text.charAt(start - 1))) start -= 1;
  return start;
}
