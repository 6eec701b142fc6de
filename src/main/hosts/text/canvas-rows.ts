import { seenText, seenWords } from '@shared/text/seen-text.ts';
import type { Canvas, CanvasChart, CanvasTable } from '@shared/tools/canvas.ts';
import { isChart, readCanvas } from '@shared/tools/canvas.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import { padLeft, padRight, widest } from './columns.ts';
import { htmlText } from './html-text.ts';
import { quotedRows } from './quoted-rows.ts';
import { oneLine } from './terminal.ts';

/** Further rows are only counted. */
const mostRows = 200;
const widestCell = 40;
const bar = { full: '█', parts: ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'], columns: 30 } as const;

/** Limit for a table in a connected tool's result, which nobody asked to see. */
export const mostResultRows = 20;

/** What a call of `canvas_render` shows, for a terminal. Each row is marked as foreign text. */
export function canvasRows(input: unknown, columns: number, most = mostRows): readonly string[] {
  const read = readCanvas(input);
  if (!read.ok) return fileRows(input, columns);
  const { canvas } = read;
  // An image has no text. The line of the call names it.
  const lines = canvas.kind === 'image' ? [] : canvasLines(canvas, Math.max(20, columns - 5));
  const shown = lines.slice(0, most);
  const rest = lines.length - shown.length;
  const title = canvas.title === '' ? [] : [seenWords(canvas.title)];
  const all = [...title, ...shown, ...(rest > 0 ? [`… and ${rest} more rows`] : [])];
  return all.flatMap((line) => quotedRows(line, columns));
}

/** A file that was too large for the event itself: it is only named. */
function fileRows(input: unknown, columns: number): readonly string[] {
  const path = fieldOf(input, 'path');
  if (typeof path !== 'string' || typeof fieldOf(input, 'content') === 'string') return [];
  return quotedRows(`(${seenWords(path)} is too long to be shown here. The window shows it.)`, columns);
}

function canvasLines(canvas: Exclude<Canvas, { kind: 'image' }>, columns: number): readonly string[] {
  if (canvas.kind === 'table') return tableLines(canvas, columns);
  if (isChart(canvas)) return chartLines(canvas);
  const text = canvas.kind === 'diagram' ? canvas.source : htmlText(canvas.source);
  return seenText(text.trim() === '' ? '(It has no words.)' : text.trimEnd().replaceAll('\t', '  ')).split('\n');
}

const cell = (text: string): string => oneLine(seenWords(text), widestCell);
const isNumber = (text: string): boolean => /^[-+]?[\d.,]+ ?%?$/u.test(text);

/** Columns below their names. If they are too wide together, each row becomes a list of its cells. */
function tableLines({ columns: names, rows }: CanvasTable, columns: number): readonly string[] {
  const cells = rows.slice(0, mostRows + 1).map((row) => row.map(cell));
  const heads = names.map(cell);
  const widths = heads.map((head, index) => widest([head, ...cells.map((row) => row[index] ?? '')]));
  if (widths.reduce((sum, width) => sum + width + 2, 0) > columns + 2)
    return rows
      .slice(0, mostRows + 1)
      .flatMap((row, index) => [
        ...(index === 0 ? [] : ['']),
        ...row.map((text, column) => `${heads[column] ?? ''}: ${seenWords(text)}`),
      ]);
  const numeric = widths.map((_, index) => cells.every((row) => isNumber(row[index] ?? '') || row[index] === ''));
  const line = (row: readonly string[]): string =>
    row
      .map((text, index) => (numeric[index] === true ? padLeft : padRight)(text, widths[index] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(heads), widths.map((width) => '─'.repeat(width)).join('  '), ...cells.map(line)];
}

/** Each number with a bar in proportion. */
function chartLines({ axis, labels, series }: CanvasChart): readonly string[] {
  const largest = Math.max(...series.flatMap(({ values }) => values.map((value) => Math.abs(value ?? 0))));
  const label = labels.map(cell);
  const names = series.map(({ name }) => cell(name));
  const texts = series.map(({ values }) => values.map((value) => (value === null ? '–' : String(value))));
  const [labelWidth, nameWidth] = [widest(label), widest(names)];
  const numberWidth = widest(texts.flat());
  const isOne = series.length === 1;
  const rows = label.flatMap((text, row) =>
    series.map(({ values }, index) =>
      [
        padRight(index === 0 ? text : '', labelWidth),
        ...(isOne ? [] : [padRight(names[index] ?? '', nameWidth)]),
        padLeft(texts[index]?.[row] ?? '', numberWidth),
        barOf(values[row] ?? 0, largest),
      ]
        .join('  ')
        .trimEnd(),
    ),
  );
  const head = [cell(axis), ...(isOne ? names : [])].filter((one) => one !== '').join(' · ');
  return [...(head === '' ? [] : [head]), ...rows];
}

function barOf(value: number, largest: number): string {
  if (largest === 0 || value === 0) return '';
  const eighths = Math.max(1, Math.round((Math.abs(value) / largest) * bar.columns * 8));
  return `${value < 0 ? '-' : ''}${bar.full.repeat(Math.floor(eighths / 8))}${bar.parts[eighths % 8] ?? ''}`;
}
