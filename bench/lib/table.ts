import { type BenchRow, isMet, type Target } from './rows.ts';

/** Aligns columns. Those in `rightAligned`, by number, are aligned to the right. */
export function formatColumns(rows: readonly (readonly string[])[], rightAligned: readonly number[] = []): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]): string =>
    widths
      .map((width, column) => {
        const cell = row[column] ?? '';
        return rightAligned.includes(column) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  return rows.map(line).join('\n');
}

/** The rows as a Markdown table. The first row is the head. */
export function formatMarkdown(rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  const [head, ...body] = rows;
  return head === undefined ? '' : [line(head), `|${'---|'.repeat(head.length)}`, ...body.map(line)].join('\n');
}

function rowsAsCells(rows: readonly BenchRow[]): readonly (readonly string[])[] {
  return [
    ['figure', 'value', 'unit', 'target', 'ok', 'note'],
    ...rows.map((row) => [
      row.figure,
      row.value === null ? '-' : formatNumber(row.value),
      row.unit,
      formatTarget(row.target),
      okWord(row),
      row.note ?? '',
    ]),
  ];
}

/** The table of all figures. */
export function formatRows(rows: readonly BenchRow[]): string {
  return formatColumns(rowsAsCells(rows), [1]);
}

/** At most three decimals, and none if they would mean nothing. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  return String(Number(value.toFixed(digits)));
}

function formatTarget(target: Target | null): string {
  if (target === null) return '';
  return 'atMost' in target ? `<= ${formatNumber(target.atMost)}` : `>= ${formatNumber(target.atLeast)}`;
}

function okWord(row: BenchRow): string {
  const met = isMet(row);
  return met === null ? '' : met ? 'yes' : 'NO';
}
