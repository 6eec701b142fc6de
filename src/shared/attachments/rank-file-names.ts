/**
 * The paths that contain the typed letters in order, best first. Better matches are in the name rather than the
 * folders, contiguous, at the start of a word, or in a short path. Among equal matches, `recent` ones (latest first)
 * come first. Without any typed letters, recent paths come first.
 */
export function rankFiles(
  paths: readonly string[],
  query: string,
  { recent, limit }: { readonly recent: readonly string[]; readonly limit: number },
): readonly string[] {
  const wanted = query.toLowerCase();
  // On Windows it may be typed so; elsewhere a backslash is a part of a name.
  const slashed = wanted.replaceAll('\\', '/');
  const ages = new Map(recent.map((path, age) => [path, age]));
  const scored = paths.flatMap((path) => {
    const name = path.toLowerCase();
    const score = scoreOf(name, wanted) ?? nearly(scoreOf(name, slashed));
    if (score === null) return [];
    const age = ages.get(path);
    return [{ path, score: score + (age === undefined ? 0 : RECENT - Math.min(age, 9)) }];
  });
  scored.sort(
    (left, right) =>
      right.score - left.score || left.path.length - right.path.length || (left.path < right.path ? -1 : 1),
  );
  return scored.slice(0, limit).map(({ path }) => path);
}

const RECENT = 30;

const nearly = (score: number | null): number | null => (score === null ? null : score - 1);

/** Null when it does not match. */
function scoreOf(path: string, query: string): number | null {
  if (query === '') return -depthOf(path);
  const nameAt = path.lastIndexOf('/', path.length - 2) + 1;
  const name = path.slice(nameAt);
  if (name === query || path === query) return 200;
  if (name.startsWith(query)) return 120 - name.length / 10;
  const inName = name.indexOf(query);
  if (inName >= 0) return 90 + (isWordStart(name, inName) ? 10 : 0) - name.length / 10;
  if (path.includes(query)) return 70 - path.length / 10;
  const spread = spreadOf(path, query);
  return spread === null ? null : 40 - spread;
}

/** The smallest gap between the letters, better from the start of a word. Null when some letters are missing. */
function spreadOf(path: string, query: string): number | null {
  let least: number | null = null;
  for (let start = path.indexOf(query[0] ?? ''); start >= 0; start = path.indexOf(query[0] ?? '', start + 1)) {
    let at = start;
    for (let index = 1; index < query.length && at >= 0; index += 1) at = path.indexOf(query[index] ?? '', at + 1);
    if (at < 0) break;
    least = Math.min(least ?? Infinity, at - start + 1 - query.length + (isWordStart(path, start) ? 0 : 5));
  }
  return least === null ? null : Math.min(39, least);
}

function isWordStart(name: string, at: number): boolean {
  return at === 0 || /[^a-z0-9]/u.test(name[at - 1] ?? '');
}

function depthOf(path: string): number {
  return path.split('/').length + (path.endsWith('/') ? -1 : 0);
}
