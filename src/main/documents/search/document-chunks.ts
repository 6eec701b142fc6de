/** A part of a document that is found as one. Lines count from 1, in the text of the document. */
export interface DocumentChunk {
  readonly fromLine: number;
  readonly toLine: number;
  /** The headings above it, outermost first. */
  readonly titles: readonly string[];
  /** Its page or sheet, or the cell in which it begins. Null: the document has none. */
  readonly page: number | null;
  readonly text: string;
}

/**
 * About 300 and 800 tokens. A chunk ends at a heading or cell once it has the lower size, and at any paragraph near the
 * upper. It ends with its page or sheet in any case, so that the page that is cited is the one where the words stand.
 */
const leastCharacters = 1_200;
const mostCharacters = 3_200;
/** The rest of a longer line is not searched. */
const mostLineCharacters = 20_000;

interface Heading {
  readonly level: number;
  readonly title: string;
}

/** What stands before each page, sheet or cell. */
const partMark = /^\[(?:Page|Sheet|Cell) (\d{1,9}) of \d/u;

/** Where each line stands: under which headings, on which page, and whether a part begins there. */
interface PlacedLine {
  readonly text: string;
  readonly titles: readonly string[];
  readonly page: number | null;
  readonly isStart: boolean;
  /** A page or a sheet begins. */
  readonly isPage: boolean;
}

/** Cuts a text at its headings, and long sections at paragraphs. */
export function documentChunks(text: string): readonly DocumentChunk[] {
  const lines = placedLines(text.split('\n'));
  const chunks: DocumentChunk[] = [];
  let from = 0;
  let size = 0;
  const endBefore = (to: number): void => {
    const part = lines.slice(from, to);
    // The heading that a chunk begins with says what it is about.
    const [first] = part;
    const isBlank = part.every((line) => line.text.trim() === '');
    if (first !== undefined && !isBlank)
      chunks.push({
        fromLine: from + 1,
        toLine: to,
        titles: first.titles,
        page: first.page,
        text: part.map((line) => line.text).join('\n'),
      });
    from = to;
    size = 0;
  };
  for (const [index, line] of lines.entries()) {
    const isFull = size >= mostCharacters || (size > mostCharacters / 2 && line.text.trim() === '');
    if (isFull || line.isPage || (line.isStart && size >= leastCharacters)) endBefore(index);
    size += line.text.length + 1;
  }
  endBefore(lines.length);
  return chunks;
}

function placedLines(lines: readonly string[]): readonly PlacedLine[] {
  let above: readonly Heading[] = [];
  let page: number | null = null;
  let isCode = false;
  return lines.map((whole, index) => {
    const text = whole.slice(0, mostLineCharacters);
    if (text.startsWith('```')) isCode = !isCode;
    const heading = isCode ? null : headingOf(text, lines[index + 1] ?? '');
    const marked = Number(partMark.exec(text)?.[1] ?? 0);
    if (heading !== null) above = [...above.filter(({ level }) => level < heading.level), heading];
    if (marked > 0) page = marked;
    const isPage = marked > 0 && !text.startsWith('[Cell');
    return { text, titles: above.map(({ title }) => title), page, isStart: heading !== null || marked > 0, isPage };
  });
}

/** Markdown, reStructuredText and AsciiDoc. */
function headingOf(line: string, next: string): Heading | null {
  const [, hashes, title] = /^(#{1,6}|={1,6}) (.{1,300})/u.exec(line) ?? [];
  if (hashes !== undefined && title !== undefined)
    return { level: hashes.length, title: title.replaceAll('#', '').trim() };
  const mark = next.charAt(0);
  const level = '=-~^"'.indexOf(mark) + 1;
  const isUnderlined =
    mark !== '' && level > 0 && next.trim() === mark.repeat(next.trim().length) && next.trim().length >= 3;
  const isTitle =
    /^[\p{L}\p{N}`(]/u.test(line) && line.length <= 200 && next.trim().length >= Math.min(line.trim().length, 3);
  return isUnderlined && isTitle && next.trim().length + 3 >= line.trim().length ? { level, title: line.trim() } : null;
}

/**
 * About 120 tokens. Small embedding models were trained with texts of such a length and cut longer ones, and a vector of
 * a long text says little of each of its parts. The headings above say less than the room they would take.
 */
const pieceCharacters = 450;

/** Cuts the text of a chunk at its lines, into pieces for one vector each. One without words has its headings. */
export function chunkPieces(title: string, text: string): readonly string[] {
  const pieces: string[] = [];
  let piece = '';
  const end = (): void => {
    if (piece.trim() !== '') pieces.push(piece.trim());
    piece = '';
  };
  for (const line of text.split('\n')) {
    if (partMark.test(line)) continue;
    if (piece.length + line.length > pieceCharacters) end();
    // A line without an end is cut in the middle.
    for (let at = 0; at < Math.max(line.length, 1); at += pieceCharacters) {
      if (piece.length >= pieceCharacters) end();
      piece += `${line.slice(at, at + pieceCharacters)}\n`;
    }
  }
  end();
  return pieces.length === 0 ? [title] : pieces;
}
