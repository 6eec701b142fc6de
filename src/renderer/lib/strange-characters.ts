import { splitEmptyLines } from '@shared/empty-lines.ts';
import { t } from './texts.ts';

/** A piece of a text that a person must judge. `hidden`: written out because it cannot be seen; `alike`: looks like Latin and is not. */
export interface SeenPiece {
  readonly kind: 'plain' | 'hidden' | 'alike';
  readonly text: string;
}

// Controls, marks of direction, characters without width, and whatever else has no picture of its own.
const hidden = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029\u00A0\u2000-\u200A\u202F\u205F\u3000\u115F\u1160\u3164\uFFA0]/u;
// Letters of other scripts, and forms of Latin ones that are not the plain letter.
const letter = /\p{L}/u;
const latin = /\p{Script=Latin}/u;
const odd =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\u{1D400}-\u{1D7FF}\uFF01-\uFF5E]/u;

/**
 * A text as it is, with what deceives the eye made visible: characters that cannot be seen are written as their code,
 * letters that look like Latin ones are marked where they stand in a word with Latin letters or digits.
 */
export function seenPieces(text: string): readonly SeenPiece[] {
  return splitEmptyLines(text).flatMap((part): readonly SeenPiece[] =>
    typeof part === 'string'
      ? piecesOf(part)
      : [
          { kind: 'plain', text: '\n' },
          { kind: 'hidden', text: t('seen.emptyLines', { count: part }) },
          { kind: 'plain', text: '\n' },
        ],
  );
}

function piecesOf(text: string): readonly SeenPiece[] {
  const pieces: { kind: SeenPiece['kind']; text: string }[] = [];
  const add = (kind: SeenPiece['kind'], piece: string): void => {
    const last = pieces.at(-1);
    if (last?.kind === kind && kind !== 'hidden') last.text += piece;
    else pieces.push({ kind, text: piece });
  };
  for (const word of text.split(/([^\p{L}\p{N}\p{M}]+)/u)) {
    const isMixed = odd.test(word) && (latin.test(word) || !hasOnlyOdd(word));
    for (const character of word) {
      if (character !== '\n' && character !== '\t' && hidden.test(character)) add('hidden', codeOf(character));
      else add(isMixed && odd.test(character) ? 'alike' : 'plain', character);
    }
  }
  return pieces;
}

// What is not drawn, or turns around what stands beside it; marks that join letters and pictures are left alone.
const deceiving = /[\p{Cc}\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;
const deceivingInCode = /((?!\t)[\p{Cc}\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069])/u;

/** A line of code in pieces: what would hide or turn a part of it apart, as its code. Most lines are one piece. */
export function seenLine(line: string): readonly SeenPiece[] {
  return line
    .split(deceivingInCode)
    .map((text, index) => (index % 2 === 0 ? { kind: 'plain', text } : { kind: 'hidden', text: codeOf(text) }));
}

/** A name on one line as it is: what would hide or turn a part of it is written as its code. */
export function seenName(name: string): string {
  return name.replaceAll(deceiving, (character) => `[${codeOf(character)}]`);
}

/** A word of one other script is a word of another language, not a trick. */
function hasOnlyOdd(word: string): boolean {
  return Array.from(word).every((character) => !letter.test(character) || odd.test(character));
}

function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
