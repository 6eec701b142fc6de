/** A line that is longer is drawn as several: what is laid out in one piece must not take a frame. */
const longestLine = 1000;

/** The lines of a text as they are drawn. */
export function displayLines(text: string): readonly string[] {
  return text.split('\n').flatMap(linePieces);
}

/** A line in pieces that are not too long to be drawn; no character is cut in two. */
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
