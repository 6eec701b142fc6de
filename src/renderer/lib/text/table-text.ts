/** The cells of a table, row by row; the first row is its head. */
export type TableCells = readonly (readonly string[])[];

/** As CSV (RFC 4180). */
export function csvOf(rows: TableCells): string {
  const cell = (text: string): string => (/[",\n\r]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

/** As a table in Markdown, its columns one under the other. */
export function markdownOf(rows: TableCells): string {
  const cells = rows.map((row) => row.map((text) => text.replaceAll('|', '\\|').replaceAll(/\s+/gu, ' ').trim()));
  const [head = [], ...body] = cells;
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |\n`;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |\n`, ...body.map(line)].join('');
}

/** The rows of a CSV text, by commas, semicolons or tabs, whichever its first line has most of; at most `most` rows. */
export function csvRows(text: string, most: number): TableCells {
  const first = text.slice(0, text.indexOf('\n') < 0 ? text.length : text.indexOf('\n'));
  const count = (mark: string): number => first.split(mark).length;
  const mark = [',', ';', '\t'].reduce((best, one) => (count(one) > count(best) ? one : best));
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let at = 0; at < text.length && rows.length < most; at += 1) {
    const character = text.charAt(at);
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') cell += text.charAt((at += 1));
      else isQuoted = false;
    } else if (character === '"' && cell === '') isQuoted = true;
    else if (character === mark) {
      row.push(cell);
      cell = '';
    } else if (character === '\n') {
      rows.push([...row, cell.replace(/\r$/u, '')]);
      row = [];
      cell = '';
    } else cell += character;
  }
  if (rows.length < most && (cell !== '' || row.length > 0)) rows.push([...row, cell]);
  return rows;
}
