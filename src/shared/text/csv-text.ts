/**
 * The rows of a CSV text, at most `most`. The separator is the most frequent one in the first line: comma, semicolon or
 * tab.
 */
export function csvRows(text: string, most: number): readonly (readonly string[])[] {
  const first = text.slice(0, text.indexOf('\n') < 0 ? text.length : text.indexOf('\n'));
  const count = (mark: string): number => first.split(mark).length;
  const mark = [',', ';', '\t'].reduce((best, one) => (count(one) > count(best) ? one : best));
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  // Blanks before a quote do not belong to the cell.
  let isBlank = true;
  let isQuoted = false;
  const endCell = (): void => {
    row.push(cell.trim());
    cell = '';
    isBlank = true;
  };
  for (let at = 0; at < text.length && rows.length < most; at += 1) {
    const character = text.charAt(at);
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') cell += text.charAt((at += 1));
      else isQuoted = false;
    } else if (character === '"' && isBlank) {
      isQuoted = true;
      isBlank = false;
      cell = '';
    } else if (character === mark) endCell();
    else if (character === '\n') {
      endCell();
      rows.push(row);
      row = [];
    } else {
      cell += character;
      if (character !== ' ' && character !== '\t') isBlank = false;
    }
  }
  if (rows.length < most && (cell !== '' || row.length > 0)) {
    endCell();
    rows.push(row);
  }
  return rows;
}

/** A cell of a CSV file, in quotes where it needs them (RFC 4180). */
export function csvCell(text: string): string {
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Spreadsheets calculate a cell that begins like this, even in quotes. */
const likeFormula = /^[\s]*[=+\-@\t\r]/u;

/** The same for a file that a spreadsheet opens. Text that it would take for a formula is marked. Null is an empty cell. */
export function sheetCell(value: string | number | boolean | null): string {
  if (value === null) return '';
  // Without the last digits of binary fractions, such as 0.30000000000000004.
  if (typeof value === 'number') return String(Number(value.toPrecision(12)));
  if (typeof value !== 'string') return String(value);
  return csvCell(likeFormula.test(value) ? `'${value}` : value);
}
