/**
 * A unified diff of one file as people read it: without the carriage returns and the byte order mark that both sides
 * have, which would mark every line of a file from Windows. Where the sides differ in them, they stay and are shown.
 */
export function withoutEqualEnds(diff: string): string {
  if (!/[\r\uFEFF]/u.test(diff)) return diff;
  const hunks: string[][] = [[]];
  for (const line of diff.split('\n')) {
    if (line.startsWith('@@')) hunks.push([]);
    hunks.at(-1)?.push(line);
  }
  const [head = [], ...bodies] = hunks;
  return [head, ...bodies.map((lines) => withoutEqualMark(withoutEqualReturns(lines)))].flat().join('\n');
}

function withoutEqualReturns(lines: readonly string[]): readonly string[] {
  // The last line of a file may have no end at all.
  const ended = lines.filter((line, at) => /^[ +-]/u.test(line) && lines[at + 1]?.startsWith('\\') !== true);
  const hasReturns = (side: readonly string[]): boolean => side.length > 0 && side.every((line) => line.endsWith('\r'));
  const isEqual =
    hasReturns(ended) || ['-', '+'].every((sign) => hasReturns(ended.filter((line) => line.startsWith(sign))));
  return lines.map((line) => (isEqual || line.startsWith(' ') ? line.replace(/\r$/u, '') : line));
}

function withoutEqualMark(lines: readonly string[]): readonly string[] {
  if (!/^@@ -1(?:,\d+)? \+1(?:,\d+)? @@/u.test(lines[0] ?? '')) return lines;
  const firsts = ['+', '-'].map((other) => lines.findIndex((line, at) => at > 0 && !line.startsWith(other)));
  if (!firsts.every((at) => lines[at]?.startsWith('\uFEFF', 1) === true)) return lines;
  return lines.map((line, at) => (firsts.includes(at) ? line.slice(0, 1) + line.slice(2) : line));
}
