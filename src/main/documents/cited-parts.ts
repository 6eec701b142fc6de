import type { CitedPart, CitedPlace } from '@shared/documents/cited-part.ts';
import type { DocumentKind } from '@shared/documents/document-text.ts';
import { hasParts, partOfMark } from '@shared/documents/document-text.ts';

/** The text of a document as models read it. */
export interface ReadText {
  /** Null: it is a text as it is. */
  readonly kind: DocumentKind | null;
  /** How many pages, sheets or cells the document has. */
  readonly pages: number;
  readonly text: string;
}

interface Part {
  readonly number: number;
  readonly name: string | null;
  /** The lines of the whole text that it has, without its mark. */
  readonly from: number;
  readonly to: number;
}

const words = { pdf: 'page', excel: 'sheet', notebook: 'cell' } as const;
const mostTextLines = 2_000;
const mostRows = 400;

/** The part of a document that a place is in. Null: the document has no such place. */
export function citedPart({ kind, pages, text }: ReadText, place: CitedPlace): CitedPart | null {
  const lines = text.replace(/\r?\n$/u, '').split(/\r?\n/u);
  const word = kind === 'pdf' || kind === 'excel' || kind === 'notebook' ? words[kind] : null;
  const parts = partsOf(lines, { kind, pages });
  const isTable = kind === 'excel' || kind === 'csv';
  if (place.part !== undefined && place.part.word !== word) return null;
  if (place.cell !== undefined && !isTable) return null;
  const part = parts.find((one) => isMeant(one, place, kind));
  if (part === undefined) return null;
  const own = lines.slice(part.from, part.to);
  if (own.at(-1) === '' && own.length > 1) own.pop();
  const at = lineIn(own, place, { part, kind });
  if (at === undefined) return null;
  const column = place.cell === undefined ? null : columnOf(place.cell.cell);
  if (column !== null && at !== null && !hasColumn(own[0] ?? '', column)) return null;
  return {
    path: place.path,
    part: word === null ? null : { word, number: part.number, of: pages, name: part.name },
    form: isTable ? 'table' : 'text',
    all: own.length,
    column,
    ...around(own, at, isTable),
  };
}

function partsOf(lines: readonly string[], { kind, pages }: Pick<ReadText, 'kind' | 'pages'>): readonly Part[] {
  const whole = { number: 1, name: null, from: 0, to: lines.length };
  if (kind === null || !hasParts(kind)) return [whole];
  const begins = lines.flatMap((line, index) => {
    const number = partOfMark(line, pages);
    return number === null ? [] : [{ number, index, name: nameIn(line) }];
  });
  return begins.map(({ number, index, name }, at) => ({
    number,
    name,
    from: index + 1,
    to: begins[at + 1]?.index ?? lines.length,
  }));
}

/** What stands in the mark of a part behind its number. */
function nameIn(mark: string): string | null {
  const at = mark.indexOf(': ');
  return at < 0 ? null : mark.slice(at + 2, -1);
}

function isMeant(part: Part, { part: wanted, cell, line }: CitedPlace, kind: DocumentKind | null): boolean {
  if (wanted !== undefined) return part.number === wanted.number;
  if (cell?.sheet !== undefined) return part.name?.toLowerCase() === cell.sheet.toLowerCase();
  if (cell !== undefined || line === undefined || kind === 'csv') return true;
  // The line of the mark belongs to the part that it begins.
  return line >= Math.max(part.from, 1) && line <= part.to;
}

/** The line of a part, from 0. Null: the whole part is meant. Undefined: there is no such line. */
function lineIn(
  own: readonly string[],
  { part: wanted, cell, line }: CitedPlace,
  { part, kind }: { readonly part: Part; readonly kind: DocumentKind | null },
): number | null | undefined {
  // A table has the numbers of its rows in the first column, and leaves empty rows out.
  const row =
    cell === undefined ? (kind === 'csv' ? line : undefined) : Number(cell.cell.slice(lettersOf(cell.cell).length));
  if (row !== undefined) {
    const at = own.findIndex((text) => text.startsWith(`${row},`) || text === String(row));
    return at < 0 ? undefined : at;
  }
  if (line === undefined) return null;
  const at = line - 1 - part.from;
  if (at >= 0 && at < own.length) return at;
  // The page decides where a line is of another one. The mark of a part and the blank line after it mean all of it.
  return wanted !== undefined || at === -1 || at === own.length ? null : undefined;
}

const lettersOf = (cell: string): string => /^[A-Z]{1,3}/u.exec(cell)?.[0] ?? '';

/** `A` is 0, `AA` is 26. */
function columnOf(cell: string): number {
  const letters = lettersOf(cell);
  let column = 0;
  for (let at = 0; at < letters.length; at += 1) column = column * 26 + letters.charCodeAt(at) - 64;
  return column - 1;
}

/** `head` is the line with the letters of the columns. */
function hasColumn(head: string, column: number): boolean {
  return column < head.split(',').length - 1;
}

function around(own: readonly string[], at: number | null, isTable: boolean): Pick<CitedPart, 'lines' | 'from' | 'at'> {
  const most = isTable ? mostRows : mostTextLines;
  const first = Math.max(0, Math.min((at ?? 0) - Math.floor(most / 2), own.length - most));
  const lines = own.slice(first, first + most);
  const shown = at === null ? null : at - first;
  // The letters of the columns stay above the rows.
  if (isTable && first > 0)
    return { lines: [own[0] ?? '', ...lines], from: first + 1, at: shown === null ? null : shown + 1 };
  return { lines, from: first + 1, at: shown };
}
