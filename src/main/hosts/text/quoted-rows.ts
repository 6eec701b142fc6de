import { seenText } from '@shared/text/seen-text.ts';
import { charactersOf } from './columns.ts';

/** Marks a row that continues the one before. */
const goesOn = '  ¦ ';

/**
 * Marks each terminal row of a foreign text, so that none can pass for a line of Dewpoint, not even where the terminal
 * would wrap a long one. Tabs become spaces.
 */
export function quoteRows(text: string, columns: number, mark = '  | '): string {
  return quotedRows(showBlanks(text), columns, mark).join('\n');
}

/** A text as it is shown to be judged, with invisible characters made visible. */
export function showBlanks(text: string): string {
  return seenText(text.replaceAll('\t', '    ').replace(/\n$/u, ''));
}

/** The rows of a text that is already in its shown form. */
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
