import { fenceAfter, textPieces } from './text-pieces.ts';

/** A heading of a long answer. */
export interface AnswerHeading {
  /** Without its marks. */
  readonly text: string;
  /** 0 for the highest in this answer. */
  readonly depth: number;
  /** The piece of the text that it stands in, from 0. */
  readonly piece: number;
}

/** About two screens. */
const longCharacters = 4_000;
/** From so many headings on a shorter answer has an outline, too. */
const manyHeadings = 3;
const mostHeadings = 100;
/** Of a heading. */
const mostCharacters = 300;

/** The headings of an answer that is long or has many; empty for any other. `pieces`: its own, where they are known. */
export function answerOutline(text: string, pieces = textPieces(text)): readonly AnswerHeading[] {
  const found = pieces.flatMap((piece, index) => headingsIn(piece).map((one) => ({ ...one, piece: index })));
  if (found.length < 2 || (found.length < manyHeadings && text.length < longCharacters)) return [];
  const highest = Math.min(...found.map(({ level }) => level));
  return found
    .slice(0, mostHeadings)
    .map(({ level, text: words, piece }) => ({ text: words, depth: Math.min(3, level - highest), piece }));
}

/** A piece never ends in a fence. */
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

/** The letters and digits of a heading, by which it is found where it is drawn. */
export function headingKey(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
}
