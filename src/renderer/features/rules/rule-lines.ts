/** A file of rules is its text; these change one line of it and leave notes and empty lines where they stand. */

const linesOf = (text: string): string[] => text.replace(/\n$/u, '').split('\n');
const joined = (lines: readonly string[]): string => (lines.length === 0 ? '' : `${lines.join('\n')}\n`);

export function withLine(text: string, rule: string): string {
  return text.trim() === '' ? `${rule}\n` : joined([...linesOf(text), rule]);
}

/** `line` counts from 1. */
export function replaceLine(text: string, line: number, rule: string): string {
  return joined(linesOf(text).map((one, at) => (at === line - 1 ? rule : one)));
}

export function withoutLine(text: string, line: number): string {
  return joined(linesOf(text).filter((_, at) => at !== line - 1));
}

/** Two rules change places; what stands between them stays. */
export function swapLines(text: string, first: number, second: number): string {
  const lines = linesOf(text);
  return joined(
    lines.map((one, at) => {
      if (at === first - 1) return lines[second - 1] ?? one;
      return at === second - 1 ? (lines[first - 1] ?? one) : one;
    }),
  );
}
