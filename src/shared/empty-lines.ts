/**
 * A text cut at its runs of more than two empty lines, each of which is given as its number: a command with a screen of
 * them looks as if it ended where they begin.
 */
export function splitEmptyLines(text: string): readonly (string | number)[] {
  const parts: (string | number)[] = [];
  let from = 0;
  for (const { 0: run, index } of text.matchAll(/\n(?:[^\S\n]*\n){3,}/gu)) {
    parts.push(text.slice(from, index), run.split('\n').length - 2);
    from = index + run.length;
  }
  return [...parts, text.slice(from)];
}
