import { csvCell } from '@shared/text/csv-text.ts';

/** The cells of a table, row by row. The first row is the header. */
export type TableCells = readonly (readonly string[])[];

/** As CSV (RFC 4180). */
export function csvOf(rows: TableCells): string {
  return rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}

/** As a Markdown table with aligned columns. */
export function markdownOf(rows: TableCells): string {
  const cells = rows.map((row) => row.map((text) => text.replaceAll('|', '\\|').replaceAll(/\s+/gu, ' ').trim()));
  const [head = [], ...body] = cells;
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |\n`;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |\n`, ...body.map(line)].join('');
}
