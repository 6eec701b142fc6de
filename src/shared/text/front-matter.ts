/** What is wrong with a file of which `frontMatter` makes nothing. */
export const openFrontMatter = 'It begins with "---", but has no second line of it.';

/** The lines between two lines of `---` at the beginning of a Markdown file, and the text behind them. Null: they do not end. */
export function frontMatter(file: string): { readonly head: readonly string[]; readonly text: string } | null {
  const whole = file.replaceAll('\r\n', '\n').trim();
  const lines = whole.split('\n');
  if (lines[0] !== '---') return { head: [], text: whole };
  const end = lines.indexOf('---', 1);
  if (end === -1) return null;
  const text = lines
    .slice(end + 1)
    .join('\n')
    .trim();
  return { head: lines.slice(1, end), text };
}

/** A line `key: value`; both empty where it is none. */
export function keyAndValue(line: string): { readonly key: string; readonly value: string } {
  const colon = line.indexOf(':');
  return { key: line.slice(0, Math.max(0, colon)).trim(), value: line.slice(colon + 1).trim() };
}
