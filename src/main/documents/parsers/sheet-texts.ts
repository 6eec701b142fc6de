import Papa from 'papaparse';
import readWorkbook from 'read-excel-file/node';
import { z } from 'zod';
import { fileText } from '../../lib/files/file-text.ts';
import { notebookOutput, notebookOutputText, notebookText } from '../../lib/files/notebook-output.ts';
import { linesUpTo } from './parsed-document.ts';
import type { ParsedDocument } from './parsed-document.ts';

/** The values of a workbook by sheet, as tables with the letters of columns and the numbers of rows. */
export async function sheetTexts(bytes: Uint8Array, mostBytes: number): Promise<ParsedDocument> {
  const sheets = await readWorkbook(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  const texts: string[] = [];
  const names: string[] = [];
  let left = mostBytes;
  for (const { sheet, data } of sheets) {
    const { text, isCut } = tableText(data, left);
    texts.push(text);
    names.push(sheet);
    left -= Buffer.byteLength(text);
    if (isCut) return { pages: sheets.length, texts, names, isCut };
  }
  return { pages: sheets.length, texts, names };
}

/** The rows of a CSV text, numbered as in the file. The separator is the one that fits best. */
export function csvText(bytes: Uint8Array, mostBytes: number): ParsedDocument {
  // An empty last line would make the separator harder to guess.
  const whole = (fileText(bytes)?.text ?? new TextDecoder().decode(bytes)).replace(/\r?\n$/u, '');
  const { data } = Papa.parse<readonly string[]>(whole, { skipEmptyLines: false });
  const { text, isCut } = tableText(data, mostBytes);
  return { pages: 1, texts: [text], ...(isCut ? { isCut } : {}) };
}

interface TableText {
  readonly text: string;
  readonly isCut: boolean;
}

/** Empty rows are left out; the numbers of the others stay. A row that does not fit ends the table. */
function tableText(rows: readonly (readonly unknown[])[], mostBytes: number): TableText {
  const filled = rows.map((row, index) => ({ number: index + 1, cells: row.map(cellText) }));
  const shown = filled.filter(({ cells }) => cells.some((cell) => cell !== ''));
  const widest = shown.reduce((most, { cells }) => Math.max(most, cells.findLastIndex((cell) => cell !== '') + 1), 0);
  if (shown.length === 0) return { text: '', isCut: false };
  const { add, lines } = linesUpTo(mostBytes);
  const letters = Array.from({ length: widest }, (_, column) => columnLetters(column));
  const isWhole = [
    ['', ...letters],
    ...shown.map(({ number, cells }) => [String(number), ...cells.slice(0, widest)]),
  ].every((cells) => add(Papa.unparse([cells], { newline: '\n' })));
  return { text: lines.join('\n'), isCut: !isWhole };
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return timeText(value);
  const text =
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
  return text.replaceAll(/\r?\n/gu, ' ').trim();
}

const secondMs = 1000;
/** Excel counts days from here. What lies before the first day is a time of day, or how long something took. */
const zeroMs = Date.UTC(1899, 11, 30);
const firstDayMs = Date.UTC(1900, 0, 1);

/** Excel knows no zone, and a fraction of a day is rarely a whole second. */
function timeText(value: Date): string {
  const ms = Math.round(value.getTime() / secondMs) * secondMs;
  if (Number.isNaN(ms)) return '';
  const [day = '', time = ''] = new Date(ms).toISOString().replace('.000Z', '').split('T');
  if (ms >= firstDayMs) return time === '00:00:00' ? day : `${day} ${time}`;
  if (ms < zeroMs) return day;
  const hours = Math.floor((ms - zeroMs) / (3600 * secondMs));
  return `${String(hours).padStart(2, '0')}${time.slice(2)}`;
}

/** 0 is `A`, 26 is `AA`. */
function columnLetters(column: number): string {
  const last = String.fromCodePoint(65 + (column % 26));
  return column < 26 ? last : `${columnLetters(Math.floor(column / 26) - 1)}${last}`;
}

const notebookSchema = z.object({
  cells: z.array(
    z.object({
      cell_type: z.string(),
      source: notebookText,
      outputs: z.array(notebookOutput).optional(),
    }),
  ),
});

/** About what `partMark` and the word for an empty cell take. */
const markBytes = 48;

/** The cells of a Jupyter notebook, each with its outputs as text. Pictures are only named. */
export function notebookTexts(bytes: Uint8Array, mostBytes: number): ParsedDocument {
  const { cells } = notebookSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
  const { add, lines } = linesUpTo(mostBytes);
  let marks = 0;
  for (const { source, outputs = [] } of cells) {
    const said = outputs.map((output) => notebookOutputText(output)).filter((text) => text !== '');
    const text = [source, ...said.map((one) => `[Output]\n${one}`)].join('\n');
    // Empty cells have a mark each, too.
    marks += markBytes;
    if (marks > mostBytes || !add(text)) break;
  }
  // A notebook without cells has one empty part.
  if (cells.length === 0) return { pages: 1, texts: [''], names: ['none'] };
  return { pages: cells.length, texts: lines, names: cells.slice(0, lines.length).map(({ cell_type }) => cell_type) };
}
