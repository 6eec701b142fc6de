import { seenText } from '@shared/text/seen-text.ts';
import { charactersOf } from './columns.ts';

/** The row goes on the one before. */
const goesOn = '  ¦ ';

/**
 * A text that somebody else wrote, each row of the terminal marked as one of it: none can pass for a line of ours, also
 * not one that begins where the terminal would break a long one. Tabs are blanks.
 */
export function quoteRows(text: string, columns: number, mark = '  | '): string {
  return quotedRows(showBlanks(text), columns, mark).join('\n');
}

/** A text to be judged, as it is shown. */
export function showBlanks(text: string): string {
  return seenText(text.replaceAll('\t', '    ').replace(/\n$/u, ''));
}

/** Of a text as it is shown. */
export function quotedRows(seen: string, columns: number, mark = '  | '): readonly string[] {
  const width = Math.max(20, columns - mark.length - 1);
  return seen
    .split('\n')
    .flatMap((line) => rowsOf(line, width).map((row, index) => `${index === 0 ? mark : goesOn}${row}`));
}

function rowsOf(line: string, width: number): readonly string[] {
  const rows: string[] = [];
  let row = '';
  let used = 0;
  for (const [character, columns] of charactersOf(line)) {
    if (used + columns > width) {
      rows.push(row);
      row = '';
      used = 0;
    }
    row += character;
    used += columns;
  }
  return [...rows, row];
}
