/**
 * How text from untrusted authors is shown to the user: from a model, a command, a project, a service or an imported
 * session. This file alone decides that, for the terminal, the window and the browser.
 * `seenPieces`, `seenText`: for text that the user approves. Invisible characters are written out, look-alike letters
 * are marked.
 * `seenName`, `seenCommand`: for a path, a host or an id, and for a command. The same, always on one line.
 * `seenWords`, `seenLine`: for a title or label, and for a line of code. Invisible characters are written out.
 * `withoutEscapes`: for what a program printed, before it is read. Removes terminal commands only.
 * `printable`: for prose. Removes terminal commands and characters that reorder or hide text.
 * `escapeForTerminal`, `escapedJson`: the last filter of all output, for a terminal and as JSON.
 */

/**
 * A piece of such a text. `hidden`: the code of an invisible character. `alike`: a letter that looks Latin and is not.
 */
export type SeenPiece =
  | { readonly kind: 'plain' | 'hidden' | 'alike'; readonly text: string }
  /** Many empty lines make a command look as if it ended there. */
  | { readonly kind: 'empty-lines'; readonly count: number };

// Control characters, direction marks, zero-width characters, blanks other than the plain one, and other characters
// that show nothing.
const unseen = String.raw`(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\uFFFC\u{1D159}]`;

// In these places they have a visible effect: they join several emoji into one, or join letters.
const joining = String.raw`\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}`;
const joiners = [
  String.raw`(?<=\p{Extended_Pictographic}\p{Emoji_Modifier}?)[\uFE0E\uFE0F]`,
  String.raw`(?<=[0-9#*])\uFE0F(?=\u20E3)`,
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D(?=\p{Extended_Pictographic})`,
  String.raw`(?<=[${joining}])[\u200C\u200D](?=[${joining}])`,
].join('|');

/** Each pattern has one group, to split by. */
const hiddenIn = {
  judged: new RegExp(String.raw`((?![\n\t]|\r\n)${unseen})`, 'u'),
  line: new RegExp(String.raw`((?!\t|${joiners})${unseen})`, 'u'),
  name: new RegExp(String.raw`((?!${joiners})${unseen})`, 'u'),
} as const;

// Letters of other scripts, and other forms of Latin letters.
const letter = /\p{L}/u;
const latin = /\p{Script=Latin}/u;
const odd =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}\u0251\u0261\u2160-\u217F\u{1D400}-\u{1D7FF}\uFF01-\uFF5E]/u;
// They look like separators in a path or host name, and separate nothing.
const standIn = /[\u2024\u2044\u2215\u2236\u29F5\u29F8\uA789]/u;

/**
 * The text with deceptive characters made visible. Invisible characters become their code. Letters that look Latin are
 * marked if their word also has Latin letters or digits.
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

/** The same as plain text: `<U+202E>`, `<U+0435 е>`, `<60 empty lines>`. */
export function seenText(text: string): string {
  return seenPieces(text).map(marked).join('');
}

/** A name or a command on one line. No part of it can look like anything else. */
export function seenName(name: string): string {
  return piecesOf(name, hiddenIn.name, alikePieces).map(marked).join('');
}

/** A command, or a label that holds one, on one line. Line breaks and tabs become blanks. */
export function seenCommand(command: string): string {
  return seenName(command.replace(/[\n\t ]+/gu, ' ').trim());
}

/** A title, a label or a sentence, on one line. */
export function seenWords(words: string): string {
  return piecesOf(words, hiddenIn.name, plainPieces).map(marked).join('');
}

/** Sentences. Keeps the line breaks. */
export function seenLines(text: string): string {
  return text.split('\n').map(seenWords).join('\n');
}

/** A line of code in pieces. Keeps its tabs. Most lines are one piece. */
export function seenLine(line: string): readonly SeenPiece[] {
  return piecesOf(line, hiddenIn.line, plainPieces);
}

/** A line of code as plain text. */
export function seenLineText(line: string): string {
  return seenLine(line).map(marked).join('');
}

/** Whether a text to be approved has anything deceptive in it. */
export function hasDeceptivePiece(pieces: readonly SeenPiece[]): boolean {
  return pieces.some(({ kind }) => kind !== 'plain');
}

/**
 * Matches every sequence that a terminal would act on (ECMA-48): a control sequence such as a color, a string such as a
 * link or a title with its end, or a single escape. If a sequence is incomplete, only its beginning matches, so the rest
 * of the line stays visible. Strings must be short and on one line, so no part of a text is read again and again; the
 * function of `node:util` takes seconds for 100 kB of them. For `CSI … m`, the groups are `…` and `m`.
 */
export const escapeSequences =
  // eslint-disable-next-line no-control-regex -- these are what must go
  /(?:\u001B\[|\u009B)([0-?]{0,100})[ -/]{0,20}([@-~])|\u001B[\]PX^_][^\p{Cc}]{0,2048}(?:\u0007|\u001B\\|\u009C)|\u001B[ -/]{0,20}[0-~]?|\u009B/gu;

/** What a program printed, without colors and the like. */
export function withoutEscapes(text: string): string {
  return text.replaceAll(escapeSequences, '');
}

const turning = String.raw`\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069`;
const unread = new RegExp(
  String.raw`(?![\n\t])[\p{Cc}${turning}\u180E\u200B\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E0FFF}]`,
  'gu',
);

/**
 * Prose of a model or a command, made harmless: without escape sequences, without control characters except line breaks
 * and tabs, and without characters that change the writing direction or hide text.
 */
export function printable(text: string): string {
  return withoutEscapes(text)
    .replace(/[\u2028\u2029]/gu, '\n')
    .replace(unread, '');
}

// Line breaks are Dewpoint's own, including those of CSV tables. Tabs belong to code.
const obeyed = new RegExp(String.raw`(?![\n\t]|\r\n)[\p{Cc}\u2028\u2029${turning}]`, 'gu');

/** Writes terminal control characters and direction marks as their code. */
export function escapeForTerminal(text: string): string {
  return text.replace(obeyed, (character) => `<${codeOf(character)}>`);
}

const unseenInJson = new RegExp(String.raw`(?!\n)${unseen}`, 'gu');

/** Equal JSON with every invisible character escaped, also for readers that end lines at U+2028. */
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

/** A word in one other script is a foreign word, not a trick. */
function hasOnlyOdd(word: string): boolean {
  return Array.from(word).every((character) => !letter.test(character) || odd.test(character));
}

/** Splits a text at runs of more than two empty lines. Each run becomes its number of lines. */
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
