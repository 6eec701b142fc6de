/** A longer text of the user is folded to its beginning. */
const most = { characters: 4000, lines: 40 } as const;
const begun = { characters: 2000, lines: 20 } as const;

/** The beginning of a text that is too long to show in full; null when it is short enough. */
export function foldedText(text: string): string | null {
  if (text.length <= most.characters && placeOfLine(text, most.lines) === text.length) return null;
  return text.slice(0, Math.min(placeOfLine(text, begun.lines), begun.characters)).trimEnd();
}

/** The position at which this many lines end. */
function placeOfLine(text: string, lines: number): number {
  let place = -1;
  for (let line = 0; line < lines; line += 1) {
    place = text.indexOf('\n', place + 1);
    if (place < 0) return text.length;
  }
  return place;
}
