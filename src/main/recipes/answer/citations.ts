export interface Citation {
  readonly path: string;
  readonly line: number | null;
}

/** Places named in an answer as `path:line`, `path, line 3`, `path:3-7` or `path` alone. */
export function findCitations(answer: string, paths: readonly string[]): readonly Citation[] {
  const found: Citation[] = [];
  for (const path of paths) {
    const escaped = path.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
    for (const match of answer.matchAll(
      new RegExp(`(?<![\\w/.-])${escaped}(?:[:#]L?|,? (?:at |on )?lines? )?(\\d+)?`, 'g'),
    )) {
      found.push({ path, line: match[1] === undefined ? null : Number(match[1]) });
    }
  }
  return found.filter(
    (one, index) => found.findIndex((other) => other.path === one.path && other.line === one.line) === index,
  );
}

/** Lines that an answer cites of a file that it was not shown, as it wrote them, such as `manual.pdf:12`. */
export function unknownCitations(answer: string, paths: readonly string[]): readonly string[] {
  const words = answer.split(/[\s()[\]`"'“”,;]+/u);
  const places = words.flatMap((word) => /^[^:]*\.[a-z]\w{0,4}:L?\d+(?:-\d+)?/iu.exec(word)?.[0] ?? []);
  return [...new Set(places)].filter((place) => !paths.some((path) => place.replace(/^\.\//u, '').startsWith(path)));
}

/**
 * The line of a chunk that supports an answer most: the one that shares the most numbers and words with it. Lines are
 * 1-based.
 */
export function supportingLine(
  answer: string,
  chunk: { readonly startLine: number; readonly text: string },
): { readonly line: number; readonly score: number } {
  const tokens = (text: string) =>
    new Set(
      (
        text
          .toLowerCase()
          .replaceAll(/(?<=\d)_(?=\d)/g, '')
          .match(/[a-z]{3,}|\d+/g) ?? []
      ).flatMap((word) => [word]),
    );
  const wanted = tokens(answer.replaceAll(/(?<=[a-z])(?=[A-Z])|_/g, ' '));
  let best = { line: chunk.startLine, score: 0 };
  for (const [index, line] of chunk.text.split('\n').entries()) {
    let score = 0;
    for (const token of tokens(line.replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])_|_(?=[A-Za-z])/g, ' ')))
      if (wanted.has(token)) score += /^\d/.test(token) ? 3 : 1;
    if (score > best.score) best = { line: chunk.startLine + index, score };
  }
  return best;
}
