import stringWidth from 'string-width';

/** Splits text into what readers see as single characters: a letter with its accents, a flag, a family emoji. */
const clusters = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** The segmenter scans its whole text for each character, so it gets pieces of this length, in UTF-16 code units. */
const pieceLength = 256;

/** Each character of a text, with its width in terminal columns. Lazy: reads only as far as needed. */
export function* charactersOf(text: string): Generator<readonly [character: string, columns: number]> {
  // Most lines are plain ASCII: each code unit is a character of one column.
  if (/^[ -~]*$/.test(text)) {
    for (const character of text) yield [character, 1];
    return;
  }
  let held = '';
  for (let start = 0; start < text.length;) {
    const end = start + pieceLength;
    const isPairCut = /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
    const piece = held + text.slice(start, isPairCut ? end + 1 : end);
    start = isPairCut ? end + 1 : end;
    held = '';
    for (const { segment, index } of clusters.segment(piece)) {
      const isWhole = start >= text.length || index + segment.length < piece.length;
      // A character at the end of a piece may continue in the next one. No character is as long as a piece.
      if (isWhole || segment.length >= pieceLength) yield [segment, widthOf(segment)];
      else held = segment;
    }
  }
}

/** Recently used widths: texts have few different characters, and computing a width takes microseconds. */
const knownWidths = new Map<string, number>();
const mostKnown = 4_096;
/** The longest emoji sequence, a family, has about twenty code units. */
const mostLooked = 32;

function widthOf(character: string): number {
  // Endless accents add no width, and measuring all of them takes time.
  const looked = character.slice(0, mostLooked);
  const known = knownWidths.get(looked);
  if (known !== undefined) return known;
  if (knownWidths.size >= mostKnown) knownWidths.clear();
  const width = stringWidth(looked);
  knownWidths.set(looked, width);
  return width;
}

/** The width of a text on one line, in terminal columns. */
function columnsOf(text: string): number {
  let columns = 0;
  for (const [, more] of charactersOf(text)) columns += more;
  return columns;
}

/** Pads a text with spaces to this many columns. `padEnd` counts UTF-16 code units instead. */
export function padRight(text: string, columns: number): string {
  return text + blanks(text, columns);
}

/** The same with spaces in front. */
export function padLeft(text: string, columns: number): string {
  return blanks(text, columns) + text;
}

/** The width of the widest text. */
export function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(columnsOf));
}

const blanks = (text: string, columns: number): string => ' '.repeat(Math.max(0, columns - columnsOf(text)));
