import { parseJson } from './json-text.ts';

/** The structure of a text. `before` and `after` are the texts around the structured part. */
export type ResultShape =
  | { readonly type: 'json'; readonly before: string; readonly value: unknown; readonly after: string }
  | ResultTable
  | { readonly type: 'text'; readonly lines: readonly string[] };

export interface ResultTable {
  readonly type: 'table';
  readonly before: string;
  /** The head row. In Markdown also the line below it. */
  readonly head: readonly string[];
  readonly rows: readonly string[];
  readonly after: string;
  readonly delimiter: Delimiter;
}

export type Delimiter = ',' | '\t' | ';' | '|';

const csvDelimiters = [',', '\t', ';'] as const;
const fewestRows = 5;
const longestLine = 2_000;

/** Recognizes JSON, JSON lines or a table (CSV, Markdown) that makes up most of the text. Else returns its lines. */
export function shapeOf(text: string): ResultShape {
  return (
    jsonIn(text) ?? jsonLines(text) ?? markdownTable(text) ?? csvTable(text) ?? { type: 'text', lines: linesOf(text) }
  );
}

function jsonIn(text: string): ResultShape | null {
  let tries = 0;
  for (const match of text.matchAll(/^[ \t]*[[{]/gmu)) {
    tries += 1;
    if (tries > 5 || match.index * 2 > text.length) return null;
    const end = text.lastIndexOf(match[0].endsWith('{') ? '}' : ']') + 1;
    const isMost = (end - match.index) * 2 > text.length;
    const parsed = isMost ? parseJson(text.slice(match.index, end)) : null;
    if (parsed !== null)
      return { type: 'json', before: text.slice(0, match.index), value: parsed.value, after: text.slice(end) };
  }
  return null;
}

function jsonLines(text: string): ResultShape | null {
  if (!/^\s*[[{]/u.test(text)) return null;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length < fewestRows) return null;
  const value: unknown[] = [];
  for (const line of lines) {
    const parsed = parseJson(line);
    if (parsed === null || typeof parsed.value !== 'object') return null;
    value.push(parsed.value);
  }
  return { type: 'json', before: '', value, after: '' };
}

/** The largest table, if it makes up most of the text. */
function markdownTable(text: string): ResultShape | null {
  const lines = text.split('\n');
  let best: { readonly from: number; readonly to: number; readonly size: number } | null = null;
  for (let from = 0; from < lines.length; from += 1) {
    if (
      !isTableLine(lines[from]) ||
      !/^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/u.test((lines[from + 1] ?? '').slice(0, longestLine))
    )
      continue;
    let to = from + 2;
    while (to < lines.length && isTableLine(lines[to])) to += 1;
    const size = lines.slice(from, to).join('\n').length;
    if (size > (best?.size ?? 0)) best = { from, to, size };
    from = to - 1;
  }
  if (best === null || best.size * 2 < text.length || best.to - best.from < fewestRows) return null;
  const { from, to } = best;
  return {
    type: 'table',
    before: lines
      .slice(0, from)
      .map((line) => `${line}\n`)
      .join(''),
    head: lines.slice(from, from + 2),
    rows: lines.slice(from + 2, to),
    after: lines
      .slice(to)
      .map((line) => `\n${line}`)
      .join(''),
    delimiter: '|',
  };
}

function isTableLine(line: string | undefined): boolean {
  return line !== undefined && line.trimStart().startsWith('|');
}

/** The table may follow introductory lines. */
function csvTable(text: string): ResultShape | null {
  const gap = text.indexOf('\n\n');
  const starts = gap > 0 && gap < longestLine ? [0, gap + 2] : [0];
  for (const start of starts) {
    const records = csvRecords(text.slice(start));
    const [head, ...rows] = records;
    if (head === undefined || rows.length < fewestRows) continue;
    const delimiter = csvDelimiters.find((one) => isCsv(records.slice(0, 50), one));
    if (delimiter === undefined) continue;
    return { type: 'table', before: text.slice(0, start), head: [head], rows, after: '', delimiter };
  }
  return null;
}

function isCsv(records: readonly string[], delimiter: Delimiter): boolean {
  const names = cellsOf(records[0] ?? '', delimiter);
  const isHead =
    names.length > 1 && names.every((name) => /\S/u.test(name) && name.length <= 60 && !name.includes('\n'));
  if (!isHead || new Set(names).size < names.length) return false;
  // In prose a space follows each comma.
  if (names.slice(1).every((name) => name.startsWith(' '))) return false;
  const fitting = records.filter((record) => cellsOf(record, delimiter).length === names.length);
  return fitting.length >= records.length * 0.9;
}

/** The lines of a CSV text. A line break inside of quotes does not end a line. */
function csvRecords(text: string): readonly string[] {
  // An unclosed quote must not turn the rest into one record.
  return joinedByQuotes(text.split('\n'), '\n', longestLine * 10)
    .filter((record) => record.trim() !== '')
    .map((record) => (record.endsWith('\r') ? record.slice(0, -1) : record));
}

/** Joins pieces whose separator is inside of quotes. */
function joinedByQuotes(pieces: readonly string[], between: string, longest: number): readonly string[] {
  const joined: string[] = [];
  let open: string[] = [];
  let isQuoted = false;
  let length = 0;
  for (const piece of pieces) {
    open.push(piece);
    length += piece.length;
    if ((piece.split('"').length - 1) % 2 === 1) isQuoted = !isQuoted;
    if (isQuoted && length < longest) continue;
    joined.push(open.join(between));
    open = [];
    isQuoted = false;
    length = 0;
  }
  return open.length === 0 ? joined : [...joined, open.join(between)];
}

/** The cells of a row as written, with their quotes and spaces. */
export function cellsOf(row: string, delimiter: Delimiter): readonly string[] {
  if (delimiter === '|')
    return row
      .trim()
      .replace(/^\||\|$/gu, '')
      .split(/(?<!\\)\|/u);
  return joinedByQuotes(row.split(delimiter), delimiter, Infinity);
}

/** The row with each cell cut to `longest` characters. It stays a valid row. */
export function withShortCells(row: string, delimiter: Delimiter, longest: number): string {
  if (row.length <= longest) return row;
  const cells = cellsOf(row, delimiter).map((cell) => shortCell(cell, delimiter, longest));
  return delimiter === '|' ? `|${cells.join('|')}|` : cells.join(delimiter);
}

function shortCell(cell: string, delimiter: Delimiter, longest: number): string {
  if (cell.length <= longest) return cell;
  if (delimiter === '|') return `${cell.slice(0, longest).replaceAll('\\', '')} … `;
  const isQuoted = cell.startsWith('"');
  const text = (isQuoted ? cell.slice(1, -1).replaceAll('""', '"') : cell).slice(0, longest);
  return isQuoted ? `"${text.replaceAll('"', '""')} …"` : `${text} …`;
}

/** A line that is too long to be shown counts as several. */
function linesOf(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    if (line.length <= longestLine) return [line];
    return Array.from({ length: Math.ceil(line.length / longestLine) }, (_, at) =>
      line.slice(at * longestLine, (at + 1) * longestLine),
    );
  });
}
