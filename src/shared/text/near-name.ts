/** The name that was probably meant. Null: none is similar. */
export function nearestName(typed: string, names: readonly string[]): string | null {
  const ranked = names
    .map((name) => ({ name, distance: name.startsWith(typed) && typed !== '' ? 1 : distanceOf(typed, name) }))
    .sort((left, right) => left.distance - right.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= Math.min(3, Math.max(1, Math.floor(best.name.length / 2)))
    ? best.name
    : null;
}

/** The beginning of a hint; empty if no name is similar. */
export function didYouMean(typed: string, names: readonly string[]): string {
  const near = nearestName(typed, names);
  return near === null ? '' : `Did you mean ${near}? `;
}

/** The edit distance of two words. */
function distanceOf(left: string, right: string): number {
  // Also keeps a long text from being compared letter by letter.
  if (Math.abs(left.length - right.length) > 3) return Infinity;
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let at = 1; at <= left.length; at += 1) {
    const next = [at];
    for (let to = 1; to <= right.length; to += 1) {
      const same = left[at - 1] === right[to - 1] ? 0 : 1;
      next.push(Math.min((next[to - 1] ?? 0) + 1, (row[to] ?? 0) + 1, (row[to - 1] ?? 0) + same));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
