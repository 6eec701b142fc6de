/**
 * What a person is shown of a text that somebody else wrote: a model, a command, a project, a service, the file of an
 * imported session. This file alone decides it, for the terminal, the window and the browser.
 *
 * `seenPieces`, `seenText`: to be judged before a yes. Everything that cannot be seen is written out, look-alikes are marked.
 * `seenName`, `seenCommand`: a path, a host, an id; a command. As a judged text, on one line whatever stands in it.
 * `seenWords`, `seenLine`: a title or label; a line of code. What cannot be seen is written out.
 * `printable`: prose to be read. What a terminal would obey and what turns or hides a part of it is taken out.
 * `unobeyed`, `escapedJson`: the last look at what leaves, for a terminal and as JSON.
 */

/** A piece of such a text. `hidden`: the code of what cannot be seen; `alike`: looks like Latin and is not. */
export type SeenPiece =
  | { readonly kind: 'plain' | 'hidden' | 'alike'; readonly text: string }
  /** A command with a screen of them looks as if it ended where they begin. */
  | { readonly kind: 'empty-lines'; readonly count: number };

// Controls, marks of direction, characters without width, blanks that are not the plain one, and whatever else has no
// picture of its own.
const unseen = String.raw`(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\uFFFC\u{1D159}]`;

// Where they do what they are for they can be seen by what they do: they make one picture of several, or join letters.
const joining = String.raw`\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}`;
const joiners = [
  String.raw`(?<=\p{Extended_Pictographic}\p{Emoji_Modifier}?)[\uFE0E\uFE0F]`,
  String.raw`(?<=[0-9#*])\uFE0F(?=\u20E3)`,
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D(?=\p{Extended_Pictographic})`,
  String.raw`(?<=[${joining}])[\u200C\u200D](?=[${joining}])`,
].join('|');

/** Each with one group, to split by. */
const hiddenIn = {
  judged: new RegExp(String.raw`((?![\n\t])${unseen})`, 'u'),
  line: new RegExp(String.raw`((?!\t|${joiners})${unseen})`, 'u'),
  name: new RegExp(String.raw`((?!${joiners})${unseen})`, 'u'),
} as const;

// Letters of other scripts, and forms of Latin ones that are not the plain letter.
const letter = /\p{L}/u;
const latin = /\p{Script=Latin}/u;
const odd =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}\u0251\u0261\u2160-\u217F\u{1D400}-\u{1D7FF}\uFF01-\uFF5E]/u;
// They look like what parts a path or a name of a host, and part nothing.
const standIn = /[\u2024\u2044\u2215\u2236\u29F5\u29F8\uA789]/u;

/**
 * A text as it is, with what deceives the eye made visible: characters that cannot be seen are written as their code,
 * letters that look like Latin ones are marked where they stand in a word with Latin letters or digits.
 */
export function seenPieces(text: string): readonly SeenPiece[] {
  return splitEmptyLines(text).flatMap((part): readonly SeenPiece[] =>
    typeof part === 'string'
      ? piecesOf(part, hiddenIn.judged, alikePieces)
      : [
          { kind: 'plain', text: '\n' },
          { kind: 'empty-lines', count: part },
          { kind: 'plain', text: '\n' },
        ],
  );
}

/** The same where there is nothing but letters to mark with: `<U+202E>`, `<U+0435 е>`, `<60 empty lines>`. */
export function seenText(text: string): string {
  return seenPieces(text).map(marked).join('');
}

/** A name or a command, on one line: no part of it can pass for anything else. */
export function seenName(name: string): string {
  return piecesOf(name, hiddenIn.name, alikePieces).map(marked).join('');
}

/** A command or a label that holds one, on one line: its breaks and tabs are blanks. */
export function seenCommand(command: string): string {
  return seenName(command.replace(/[\n\t ]+/gu, ' ').trim());
}

/** A title, a label or a sentence, on one line. */
export function seenWords(words: string): string {
  return piecesOf(words, hiddenIn.name, plainPieces).map(marked).join('');
}

/** Sentences, each line as it stands. */
export function seenLines(text: string): string {
  return text.split('\n').map(seenWords).join('\n');
}

/** A line of code in pieces; its tabs are left. Most lines are one piece. */
export function seenLine(line: string): readonly SeenPiece[] {
  return piecesOf(line, hiddenIn.line, plainPieces);
}

/** A line of code where there is nothing but letters to mark with. */
export function seenLineText(line: string): string {
  return seenLine(line).map(marked).join('');
}

/** Whether a judged text has anything in it that wants a closer look. */
export function hasDeceptivePiece(pieces: readonly SeenPiece[]): boolean {
  return pieces.some(({ kind }) => kind !== 'plain');
}

/**
 * Each that a terminal would act on, as a whole. Of what only begins like one no more than the beginning: the rest of the
 * line stays in sight. What goes with a title or a link is on one line and short. Of `CSI … m` the groups are `…` and `m`.
 */
// eslint-disable-next-line no-control-regex -- these are what must go
export const escapeSequences = /\u001B(?:\[([0-?]*)[ -/]*([@-~])|\][^\p{Cc}]{0,2048}(?:\u0007|\u001B\\)|[ -/]*[0-~])/gu;
const turning = String.raw`\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069`;
const unread = new RegExp(
  String.raw`(?![\n\t])[\p{Cc}${turning}\u180E\u200B\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E0FFF}]`,
  'gu',
);

/**
 * Prose of a model or a command, made harmless: no escape sequences, no control characters but line breaks and tabs,
 * nothing that turns the direction of writing or carries a text that is not seen.
 */
export function printable(text: string): string {
  return text
    .replace(escapeSequences, '')
    .replace(/[\u2028\u2029]/gu, '\n')
    .replace(unread, '');
}

// Line breaks are ours, also those of a table for other programs; tabs are those of code.
const obeyed = new RegExp(String.raw`(?![\n\t]|\r\n)[\p{Cc}\u2028\u2029${turning}]`, 'gu');

/** With what a terminal would obey, and what turns the direction of writing, as its code. */
export function escapeForTerminal(text: string): string {
  return text.replace(obeyed, (character) => `<${codeOf(character)}>`);
}

const unseenInJson = new RegExp(String.raw`(?!\n)${unseen}`, 'gu');

/** JSON that says the same, with everything that cannot be seen as an escape: also for readers that end lines at U+2028. */
export function escapedJson(json: string): string {
  return json.replace(unseenInJson, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
    }).join(''),
  );
}

function marked(piece: SeenPiece): string {
  switch (piece.kind) {
    case 'plain':
      return piece.text;
    case 'hidden':
      return `<${piece.text}>`;
    case 'alike':
      return Array.from(piece.text, (character) => `<${codeOf(character)} ${character}>`).join('');
    case 'empty-lines':
      return `<${piece.count} empty lines>`;
    default:
      return piece satisfies never;
  }
}

function piecesOf(text: string, hidden: RegExp, others: (text: string) => readonly SeenPiece[]): readonly SeenPiece[] {
  return text
    .split(hidden)
    .flatMap((part, index) =>
      part === '' ? [] : index % 2 === 0 ? others(part) : [{ kind: 'hidden' as const, text: codeOf(part) }],
    );
}

function plainPieces(text: string): readonly SeenPiece[] {
  return [{ kind: 'plain', text }];
}

function alikePieces(text: string): readonly SeenPiece[] {
  if (!odd.test(text) && !standIn.test(text)) return plainPieces(text);
  const pieces: { kind: 'plain' | 'alike'; text: string }[] = [];
  for (const word of text.split(/([^\p{L}\p{N}\p{M}]+)/u)) {
    const isMixed = odd.test(word) && (latin.test(word) || !hasOnlyOdd(word));
    for (const character of word) {
      const kind = standIn.test(character) || (isMixed && odd.test(character)) ? 'alike' : 'plain';
      const last = pieces.at(-1);
      if (last?.kind === kind) last.text += character;
      else pieces.push({ kind, text: character });
    }
  }
  return pieces;
}

/** A word of one other script is a word of another language, not a trick. */
function hasOnlyOdd(word: string): boolean {
  return Array.from(word).every((character) => !letter.test(character) || odd.test(character));
}

/** A text cut at its runs of more than two empty lines, each of which is given as its number. */
function splitEmptyLines(text: string): readonly (string | number)[] {
  const parts: (string | number)[] = [];
  let from = 0;
  for (const { 0: run, index } of text.matchAll(/\n(?:[^\S\n]*\n){3,}/gu)) {
    parts.push(text.slice(from, index), run.split('\n').length - 2);
    from = index + run.length;
  }
  return [...parts, text.slice(from)];
}

function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
