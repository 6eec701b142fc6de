/** A longer line is rendered in several pieces, so that its layout does not take a whole frame. */
const longestLine = 1000;

/** The lines of a text for rendering. */
export function displayLines(text: string): readonly string[] {
  return text.split('\n').flatMap(linePieces);
}

/** Splits a long line into pieces. Never cuts inside a character. */
export function linePieces(line: string): readonly string[] {
  if (line.length <= longestLine) return [line];
  const pieces: string[] = [];
  for (let from = 0; from < line.length;) {
    const end = from + longestLine;
    const to = /[\ud800-\udbff]/u.test(line.charAt(end - 1)) ? end - 1 : end;
    pieces.push(line.slice(from, to));
    from = to;
  }
  return pieces;
}
