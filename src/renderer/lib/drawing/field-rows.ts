const lineCharacters = 88;

/** A longer text gets a fixed height: laying out all of it on each key would take a second. */
const sizedCharacters = 20_000;

/** Classes for a text field that grows with its text, if the browser supports that. */
export function sizedByText(text: string): string {
  return text.length > sizedCharacters ? '' : '[field-sizing:content]';
}

/** The estimated rows that a text needs in a text field. Browsers that size fields by content do this better. */
export function textRows(text: string, least: number, most: number, width = lineCharacters): number {
  const rows = text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / width)), 0);
  return Math.min(most, Math.max(least, rows));
}
