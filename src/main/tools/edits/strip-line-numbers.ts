const numbered = /^\s*(\d+): ?(.*)$/u;

/**
 * Removes the line numbers that `read_file` puts before each line, because small models copy them along. Every line
 * must have a number, and they must count up by one. Null: there are none, or the text is too short to tell.
 */
export function withoutLineNumbers(text: string, leastLines = 1): string | null {
  const lines = text.replace(/\n$/u, '').split('\n');
  if (lines.length < leastLines) return null;
  const found = lines.map((line) => numbered.exec(line));
  const first = Number(found[0]?.[1]);
  const isCounted = found.every((match, index) => match !== null && Number(match[1]) === first + index);
  if (!isCounted) return null;
  const end = text.endsWith('\n') ? '\n' : '';
  return `${found.map((match) => match?.[2] ?? '').join('\n')}${end}`;
}
