/** A piece has at least this many characters, so that a long text is drawn and measured a screen at a time. */
const pieceCharacters = 500;

/**
 * A long Markdown text in pieces that read the same one below the other: cut only between two blocks, never in a fence,
 * in a list item or where links are defined elsewhere. A short one is one piece.
 */
export function textPieces(text: string): readonly string[] {
  if (text.length < 3 * pieceCharacters || /^ {0,3}\[[^[\]]+\]:/mu.test(text)) return [text];
  const pieces: string[] = [];
  let begun = 0;
  let fence: string | null = null;
  let place = 0;
  let wasBlank = false;
  for (const line of text.split('\n')) {
    const canCut = fence === null && wasBlank && /^\S/u.test(line);
    if (canCut && place - begun >= pieceCharacters && text.length - place >= pieceCharacters / 2) {
      pieces.push(text.slice(begun, place).trimEnd());
      begun = place;
    }
    fence = fenceAfter(line, fence);
    wasBlank = line.trim() === '';
    place += line.length + 1;
  }
  return [...pieces, text.slice(begun)];
}

/** The fence that is open after a line; null: none. */
export function fenceAfter(line: string, open: string | null): string | null {
  const mark = /^\s*(?:[-*+>] +|\d+[.)] +)?(`{3,}|~{3,})/u.exec(line)?.[1];
  if (mark === undefined) return open;
  if (open === null) return mark;
  return mark.startsWith(open) && line.trim() === mark ? null : open;
}
