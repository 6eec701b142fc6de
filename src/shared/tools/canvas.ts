import { csvRows } from '@shared/text/csv-text.ts';
import { fieldOf } from '@shared/unknown-value.ts';

/** The tool with which a model shows something other than text. Every host draws its input. */
export const canvasToolName = 'canvas_render';
/** The tool that runs the cells of a notebook. What they draw is shown with the call. */
export const notebookToolName = 'run_notebook';

export const chartKinds = ['bar', 'line', 'point', 'area', 'pie'] as const;
export type ChartKind = (typeof chartKinds)[number];

const sourceKinds = ['diagram', 'svg', 'html'] as const;
export const canvasKinds = ['table', ...chartKinds, ...sourceKinds, 'image'] as const;

export interface ChartSeries {
  readonly name: string;
  /** One value for each label; null when there is none. */
  readonly values: readonly (number | null)[];
}

export interface CanvasTable {
  readonly kind: 'table';
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface CanvasChart {
  readonly kind: ChartKind;
  readonly title: string;
  /** The name of what the labels are. */
  readonly axis: string;
  readonly labels: readonly string[];
  readonly series: readonly ChartSeries[];
}

export interface CanvasSource {
  readonly kind: (typeof sourceKinds)[number];
  readonly title: string;
  readonly source: string;
}

export interface CanvasImage {
  readonly kind: 'image';
  readonly title: string;
  readonly path: string;
}

export type Canvas = CanvasTable | CanvasChart | CanvasSource | CanvasImage;

/** The limits of a drawing. Nobody could read more, and the page must hold all of it. */
export const canvasLimits = {
  titleCharacters: 200,
  characters: 500_000,
  diagramCharacters: 20_000,
  columns: 30,
  tableRows: 1_000,
  chartRows: 500,
  series: 8,
  slices: 16,
  /** An image from the workspace. */
  imageBytes: 2_500_000,
  /** Any other file from there. */
  fileBytes: 1_000_000,
} as const;

type Read = { readonly ok: true; readonly canvas: Canvas } | { readonly ok: false; readonly problem: string };

/** What a call drew: its input, or what its result keeps of a file that the input names. */
export function drawnInput(input: unknown, data: unknown): unknown {
  return fieldOf(data, 'drawn') ?? input;
}

/** What an input asks to draw, or what is wrong with it, for the model that wrote it. Safe for logs from elsewhere. */
export function readCanvas(input: unknown): Read {
  const kind = canvasKinds.find((one) => one === fieldOf(input, 'kind'));
  const content = fieldOf(input, 'content') ?? (kind === 'image' ? fieldOf(input, 'path') : undefined);
  const titled = fieldOf(input, 'title');
  if (kind === undefined || typeof content !== 'string') return wrong('It needs a kind and a content.');
  const title = typeof titled === 'string' ? titled.slice(0, canvasLimits.titleCharacters) : '';
  const most = kind === 'diagram' ? canvasLimits.diagramCharacters : canvasLimits.characters;
  if (content.length > most) return wrong(`The content has ${content.length} characters. The limit is ${most}.`);
  if (content.trim() === '') return wrong('The content is empty.');
  switch (kind) {
    case 'image':
      return { ok: true, canvas: { kind, title, path: content.trim() } };
    case 'diagram':
    case 'svg':
    case 'html':
      return { ok: true, canvas: { kind, title, source: content } };
    case 'table':
      return readTable(content, title);
    default:
      return readChart(kind, content, title);
  }
}

/**
 * What a code block in an answer asks to draw, as an input of the tool. `name` is the word after its fence. Null:
 * nothing.
 */
export function chartInFence(
  name: string,
  content: string,
): { readonly kind: ChartKind; readonly content: string } | null {
  const kind = chartKinds.find((one) => name === `chart-${one}`);
  return kind === undefined ? null : { kind, content };
}

/** All charts that a Markdown answer has as code blocks. A block that is not closed yet does not count. */
export function chartsInText(text: string): readonly { readonly kind: ChartKind; readonly content: string }[] {
  const charts: { readonly kind: ChartKind; readonly content: string }[] = [];
  let open: { readonly name: string; readonly lines: string[] } | null = null;
  for (const line of text.split('\n')) {
    const mark = line.trim();
    if (open === null) {
      if (mark.startsWith('```')) open = { name: mark.slice(3).trim(), lines: [] };
    } else if (mark === '```') {
      const chart = chartInFence(open.name, open.lines.join('\n'));
      if (chart !== null) charts.push(chart);
      open = null;
    } else open.lines.push(line);
  }
  return charts;
}

function wrong(problem: string): Read {
  return { ok: false, problem };
}

interface Cells {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function readCells(content: string, mostRows: number): Cells | string {
  const [columns = [], ...rows] = csvRows(content, mostRows + 2).filter((row) => row.some((cell) => cell !== ''));
  if (columns.length > canvasLimits.columns)
    return `There are ${columns.length} columns. The limit is ${canvasLimits.columns}.`;
  if (rows.length === 0) return 'There is no row below the names of the columns.';
  if (rows.length > mostRows) return `There are too many rows. The limit is ${mostRows}: sum some up.`;
  const odd = rows.findIndex((row) => row.length > columns.length);
  if (odd !== -1)
    return `Row ${odd + 1} has ${rows[odd]?.length} cells and there are ${columns.length} columns. Put a cell with a comma in double quotes.`;
  return { columns, rows: rows.map((row) => columns.map((_, column) => row[column] ?? '')) };
}

function readTable(content: string, title: string): Read {
  const cells = readCells(content, canvasLimits.tableRows);
  return typeof cells === 'string' ? wrong(cells) : { ok: true, canvas: { kind: 'table', title, ...cells } };
}

function readChart(kind: ChartKind, content: string, title: string): Read {
  const cells = readCells(content, kind === 'pie' ? canvasLimits.slices : canvasLimits.chartRows);
  if (typeof cells === 'string') return wrong(cells);
  const { columns, rows } = cells;
  const [axis = '', ...names] = columns;
  const most = kind === 'pie' ? 1 : canvasLimits.series;
  if (names.length === 0) return wrong('There is no column of numbers beside the labels.');
  if (names.length > most)
    return wrong(`There are ${names.length} columns of numbers. A ${kind} chart has at most ${most}.`);
  const series: ChartSeries[] = [];
  for (const [index, name] of names.entries()) {
    const values: (number | null)[] = [];
    for (const [row, cellsOfRow] of rows.entries()) {
      const cell = cellsOfRow[index + 1] ?? '';
      const value = cell === '' ? null : numberOf(cell);
      if (value === undefined)
        return wrong(`Row ${row + 1} of "${name}" is no number: "${cell.slice(0, 40)}". Write 1200.5, without a unit.`);
      values.push(value);
    }
    series.push({ name, values });
  }
  const all = series.flatMap(({ values }) => values.filter((value) => value !== null));
  if (all.length === 0) return wrong('There is not one number.');
  if (kind === 'pie' && (all.some((value) => value < 0) || all.every((value) => value === 0)))
    return wrong('A pie needs parts of a whole: no number below 0, and one above.');
  return { ok: true, canvas: { kind, title, axis, labels: rows.map(([label = '']) => label), series } };
}

/** Beyond this, sums and differences may overflow. */
const largest = 1e100;

/** Undefined when the cell is no number. */
export function numberOf(cell: string): number | undefined {
  if (cell.length > 40 || !/^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d{1,3})?$/iu.test(cell)) return undefined;
  const value = Number(cell);
  return Math.abs(value) <= largest ? value : undefined;
}

/** What was drawn, in a few words. */
export function canvasSummary(canvas: Canvas): string {
  switch (canvas.kind) {
    case 'table':
      return `table, ${canvas.rows.length} × ${canvas.columns.length}`;
    case 'diagram':
    case 'svg':
    case 'html':
    case 'image':
      return canvas.kind;
    default:
      return `${canvas.kind} chart, ${canvas.labels.length} × ${canvas.series.length}`;
  }
}

export function isChart(canvas: Canvas): canvas is CanvasChart {
  return chartKinds.some((kind) => kind === canvas.kind);
}

/** An image with its bytes in base64. */
export interface Picture {
  readonly path: string;
  readonly mediaType: string;
  readonly data: string;
}

/** Whether a file's name says that it is a picture. */
export function isPictureName(path: string): boolean {
  return /\.(?:png|jpe?g|gif|webp|svg)$/iu.test(path);
}
