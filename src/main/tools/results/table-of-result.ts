import { canvasLimits } from '@shared/tools/canvas.ts';
import { isRecord } from '@shared/unknown-value.ts';

/** A table in the input form of `canvas_render`, so that the same code draws both. */
export interface ResultTable {
  readonly kind: 'table';
  readonly title: string;
  /** CSV. The first row has the column names. */
  readonly content: string;
}

/** Small enough to be stored in the event of its call. */
const mostBytes = 24_000;
const longestCell = 500;

type Cell = string | number | boolean | null | undefined;

/**
 * Structured data of a server as a table for the user: a list of flat objects, or the first such list in an object.
 * Null: there is none. What does not fit is left out, and the title says so; the result has everything.
 */
export function tableOfResult(structured: unknown): ResultTable | null {
  if (Array.isArray(structured)) return tableOf('', structured);
  if (!isRecord(structured)) return null;
  for (const [name, value] of Object.entries(structured)) {
    const table = Array.isArray(value) ? tableOf(name, value) : null;
    if (table !== null) return table;
  }
  return null;
}

function tableOf(name: string, items: readonly unknown[]): ResultTable | null {
  if (items.length === 0 || !items.every(isFlat)) return null;
  const columns = new Set<string>();
  for (const item of items) for (const key of Object.keys(item)) columns.add(key);
  if (columns.size === 0 || columns.size > canvasLimits.columns) return null;
  const names = [...columns];
  // A character that could be taken for a delimiter is replaced in the first row.
  let content = names.map((column) => quoted(column.replaceAll(/[;\t\n]/gu, ' '))).join(',');
  let bytes = Buffer.byteLength(content);
  let rows = 0;
  for (const item of items.slice(0, canvasLimits.tableRows)) {
    const row = names.map((column) => quoted(cellText(Object.hasOwn(item, column) ? item[column] : null))).join(',');
    bytes += Buffer.byteLength(JSON.stringify(row));
    if (bytes > mostBytes) break;
    content += `\n${row}`;
    rows += 1;
  }
  if (rows === 0) return null;
  const part = rows === items.length ? '' : ` (${rows} of ${items.length} rows)`;
  return { kind: 'table', title: `${name.slice(0, 100)}${part}`.trim(), content };
}

function isFlat(item: unknown): item is Record<string, Cell> {
  return isRecord(item) && Object.values(item).every((value) => typeof value !== 'object' || value === null);
}

function cellText(value: Cell): string {
  return value === null || value === undefined ? '' : String(value).slice(0, longestCell);
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
