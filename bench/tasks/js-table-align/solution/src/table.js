import { cellText, column } from './columns.js';

const GAP = '  ';

/** Writes rows as a table of text: titles, a line of dashes, a line for each row. */
export function renderTable(descriptions, rows) {
  const columns = descriptions.map(column);
  const titles = columns.map(({ title }) => title);
  const cells = rows.map((row) => columns.map((each) => cellText(each, row)));
  const widths = titles.map((title, index) =>
    Math.max(title.length, ...cells.map((line) => line[index].length)),
  );
  const join = (texts) =>
    texts
      .map((text, index) =>
        columns[index].align === 'right' ? text.padStart(widths[index]) : text.padEnd(widths[index]),
      )
      .join(GAP)
      .trimEnd();
  return [join(titles), join(widths.map((width) => '-'.repeat(width))), ...cells.map(join)].join('\n');
}
