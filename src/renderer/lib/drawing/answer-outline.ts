import { fenceAfter, textPieces } from './text-pieces.ts';

/** A heading of a long answer. */
export interface AnswerHeading {
  /** Without Markdown marks. */
  readonly text: string;
  /** 0 for the highest level in this answer. */
  readonly depth: number;
  /** The index of the piece of text that contains it. */
  readonly piece: number;
}

/** About two screens. */
const longCharacters = 4_000;
/** A shorter answer with this many headings has an outline, too. */
const manyHeadings = 3;
const mostHeadings = 100;
/** The longest heading. */
const mostCharacters = 300;

/** The headings of an answer that is long or has many; empty for any other. `pieces`: the answer's pieces, if known. */
export function answerOutline(text: string, pieces = textPieces(text)): readonly AnswerHeading[] {
  const found = pieces.flatMap((piece, index) => headingsIn(piece).map((one) => ({ ...one, piece: index })));
  if (found.length < 2 || (found.length < manyHeadings && text.length < longCharacters)) return [];
  const highest = Math.min(...found.map(({ level }) => level));
  return found
    .slice(0, mostHeadings)
    .map(({ level, text: words, piece }) => ({ text: words, depth: Math.min(3, level - highest), piece }));
}

/** A piece never ends inside a fence. */
function headingsIn(piece: string): readonly { readonly level: number; readonly text: string }[] {
  const found: { readonly level: number; readonly text: string }[] = [];
  let fence: string | null = null;
  for (const line of piece.split('\n')) {
    fence = fenceAfter(line, fence);
    const [, marks = '', words = ''] = (fence === null ? /^ {0,3}(#{1,4}) +(\S.*)$/u.exec(line) : null) ?? [];
    const text = words === '' ? '' : plainText(words);
    if (text !== '') found.push({ level: marks.length, text });
  }
  return found;
}

function plainText(markdown: string): string {
  return markdown
    .slice(0, mostCharacters)
    .trimEnd()
    .replace(/ #{1,6}$/u, '')
    .replaceAll(/\[([^[\]]{1,200})\]\([^()]{0,500}\)/gu, '$1')
    .replaceAll(/(\*\*|__|\*|`|~~)(?=\S)(.*?\S)\1/gu, '$2')
    .trim();
}

/** The letters and digits of a heading, to find it in the rendered text. */
export function headingKey(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
}
