/** The smallest piece in characters, so that a long text is rendered and measured about a screen at a time. */
const pieceCharacters = 500;

/**
 * Splits a long Markdown text into pieces that together look the same. Cuts only between two blocks, never inside a
 * fence or list item, and not in texts with link definitions. A short text is one piece.
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

/** The fence that is open after a line; null when none is. */
export function fenceAfter(line: string, open: string | null): string | null {
  const mark = /^\s*(?:[-*+>] +|\d+[.)] +)?(`{3,}|~{3,})/u.exec(line)?.[1];
  if (mark === undefined) return open;
  if (open === null) return mark;
  return mark.startsWith(open) && line.trim() === mark ? null : open;
}
