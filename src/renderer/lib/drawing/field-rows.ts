const lineCharacters = 88;

/** Of a longer text a field has its full height: to lay all of it out with each key would take a second. */
const sizedCharacters = 20_000;

/** The look of a text field that is as high as its text, where the browser can do that. */
export function sizedByText(text: string): string {
  return text.length > sizedCharacters ? '' : '[field-sizing:content]';
}

/** About how many rows of a text field a text takes; a browser that sizes fields by their content does it better. */
export function textRows(text: string, least: number, most: number, width = lineCharacters): number {
  const rows = text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / width)), 0);
  return Math.min(most, Math.max(least, rows));
}
