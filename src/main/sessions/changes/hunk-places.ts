/** Line ranges of both sides, counted from 0: the first line, and the one after the last. */
export interface HunkPlace {
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
}

/** The hunks of a unified diff of one file, in order. */
export function hunkPlaces(diff: string): readonly HunkPlace[] {
  const places: HunkPlace[] = [];
  for (const line of diff.split('\n')) {
    const found = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/u.exec(line);
    if (found !== null) places.push({ from: linesOf(found[1], found[2]), to: linesOf(found[3], found[4]) });
  }
  return places;
}

/** For an empty range, a diff names the line before it. */
function linesOf(first = '0', count = '1'): readonly [number, number] {
  const start = count === '0' ? Number(first) : Number(first) - 1;
  return [start, start + Number(count)];
}

/**
 * A text with some hunks of a change: `after` for the hunks that `isIn` accepts by index, else `before`. Keeps every
 * line end.
 */
export function withHunks(
  { before, after }: { readonly before: string; readonly after: string },
  places: readonly HunkPlace[],
  isIn: (index: number) => boolean,
): string {
  const old = linesIn(before);
  const fresh = linesIn(after);
  // A call takes only so many arguments, so the lines are not pushed one by one.
  const parts: (readonly string[])[] = [];
  let done = 0;
  for (const [index, { from, to }] of places.entries()) {
    parts.push(old.slice(done, from[0]), isIn(index) ? fresh.slice(...to) : old.slice(...from));
    done = from[1];
  }
  return [...parts, old.slice(done)].flat().join('');
}

/** Lines with their endings. */
function linesIn(text: string): readonly string[] {
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  return [...lines.map((line) => `${line}\n`), ...(last === '' ? [] : [last])];
}
