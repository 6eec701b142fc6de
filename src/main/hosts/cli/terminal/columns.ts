import stringWidth from 'string-width';

/** What a reader takes for one character: a letter with its marks, a flag, a family of pictures. */
const clusters = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** The segmenter looks at all of its text again for each character: it is given pieces, in units of UTF-16. */
const pieceLength = 256;

/** Each character of a text with the columns of a terminal that it takes. Lazy: a long text is read as far as one asks. */
export function* charactersOf(text: string): Generator<readonly [character: string, columns: number]> {
  // Most lines are plain: each unit is one character of one column.
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
      // What ends with the piece may go on in the next. Nothing that is drawn as one is as long as a piece.
      if (isWhole || segment.length >= pieceLength) yield [segment, widthOf(segment)];
      else held = segment;
    }
  }
}

/** Of the characters that came last: a text has few different ones, and to look one up takes some microseconds. */
const knownWidths = new Map<string, number>();
const mostKnown = 4_096;
/** The longest that is drawn as one, a family of pictures, has some twenty units. */
const mostLooked = 32;

function widthOf(character: string): number {
  // Marks without end add no width, and each look at them all takes its time.
  const looked = character.slice(0, mostLooked);
  const known = knownWidths.get(looked);
  if (known !== undefined) return known;
  if (knownWidths.size >= mostKnown) knownWidths.clear();
  const width = stringWidth(looked);
  knownWidths.set(looked, width);
  return width;
}

/** How many columns of a terminal a text takes on one line. */
function columnsOf(text: string): number {
  let columns = 0;
  for (const [, more] of charactersOf(text)) columns += more;
  return columns;
}

/** A text with blanks behind it up to so many columns: `padEnd` counts units of UTF-16, a terminal does not. */
export function padRight(text: string, columns: number): string {
  return text + blanks(text, columns);
}

/** A text with blanks before it up to so many columns. */
export function padLeft(text: string, columns: number): string {
  return blanks(text, columns) + text;
}

/** How wide the widest of some texts is. */
export function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(columnsOf));
}

const blanks = (text: string, columns: number): string => ' '.repeat(Math.max(0, columns - columnsOf(text)));
