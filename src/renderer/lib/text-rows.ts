const lineCharacters = 88;

/** About how many rows of a text field a text takes; a browser that sizes fields by their content does it better. */
export function textRows(text: string, least: number, most: number, width = lineCharacters): number {
  const rows = text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / width)), 0);
  return Math.min(most, Math.max(least, rows));
}
