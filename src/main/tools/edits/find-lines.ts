/**
 * Where these lines stand in a row among others, in time that grows with both together: a file and what a model looks for
 * in it may have a hundred thousand equal lines. Overlapping places count.
 */
export function placesOfLines(lines: readonly string[], wanted: readonly string[]): readonly number[] {
  if (wanted.length === 0) return [];
  const back = fallbacks(wanted);
  const found: number[] = [];
  let matched = 0;
  for (const [at, line] of lines.entries()) {
    while (matched > 0 && line !== wanted[matched]) matched = back[matched - 1] ?? 0;
    if (line === wanted[matched]) matched += 1;
    if (matched < wanted.length) continue;
    found.push(at + 1 - wanted.length);
    matched = back[matched - 1] ?? 0;
  }
  return found;
}

/** For each line, how many of the lines up to it are also the first ones (Knuth, Morris and Pratt). */
function fallbacks(wanted: readonly string[]): readonly number[] {
  const back = [0];
  let same = 0;
  for (const line of wanted.slice(1)) {
    while (same > 0 && line !== wanted[same]) same = back[same - 1] ?? 0;
    if (line === wanted[same]) same += 1;
    back.push(same);
  }
  return back;
}
