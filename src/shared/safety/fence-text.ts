/**
 * Recognizes a text after it was quoted, cut, numbered, indented or encoded. This finds copies of some length. It does
 * not find what a model said in its own words; the record of what was built from what covers that.
 */

/** Number of non-blank characters that two texts must share in one line. Shorter matches are too common in code. */
const gram = 24;
/** The same over several short lines in a row. Such lines are alike in many files, so it takes more. */
const longGram = 40;
/** So many different characters it must have. Rows of brackets and zeros are everywhere. */
const leastVaried = 12;
const shortestLine = 10;
/** The line number that tools put before a line, with the file if there are several. */
const numbers = /^(?:(?:[^\s:]+:)?\d+: ?)+/gmu;
/** How many characters are looked through at once, about 8 MB in memory. A longer text is looked through in pieces. */
const longestView = 4 * 1024 * 1024;
/** How much of the piece before it a piece begins with, so that nothing falls between two. */
const overlap = 64 * 1024;

const modulusA = 67_108_859;
const modulusB = 67_108_837;
const baseA = 257;
const baseB = 263;

function powerOf(base: number, modulus: number, length: number): number {
  let power = 1;
  for (let count = 1; count < length; count += 1) power = (power * base) % modulus;
  return power;
}

/**
 * Marks of a text, as 52-bit numbers: one for every run of 24 non-blank characters within a line, one for every run of 40
 * over short lines, and one for every word that is unlikely to appear by chance. Lines that are common to all programs give
 * none. Case, blanks and ends of lines make no difference.
 */
export function* marksOf(text: string): Generator<number> {
  yield* marksOfLines(text);
  for (const run of shortRunsOf(text)) yield* variedGramsOf(run);
}

/** Whether a text has a line that is known by itself. */
export function hasKnownLine(text: string): boolean {
  return marksOfLines(text).next().done !== true;
}

/** All marks that a copy in a text can have, wherever its lines end now. */
export function* lookUpsOf(text: string): Generator<number> {
  const lines: string[] = [];
  for (const line of linesOf(text)) {
    if (!isEverybodys(line)) yield* rareWordsOf(folded(line));
    lines.push(bareLine(line));
  }
  const whole = lines.join('');
  yield* gramsOf(whole, gram);
  yield* gramsOf(whole, longGram);
}

function* marksOfLines(text: string): Generator<number> {
  for (const line of linesOf(text)) {
    if (isEverybodys(line)) continue;
    yield* rareWordsOf(folded(line));
    yield* gramsOf(bareLine(line), gram);
  }
}

function linesOf(text: string): readonly string[] {
  return text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/u);
}

/** Without what may differ in a copy: case, forms of one character, and characters that nobody sees. */
function folded(line: string): string {
  // Nearly every line is plain.
  if (/^[\t\u0020-\u007e]*$/u.test(line)) return line.toLowerCase();
  return line
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .toLowerCase();
}

/** Without its number, the signs of quotes and changes before it, and blanks. */
function bareLine(line: string): string {
  return folded(line.replace(numbers, '').replace(/^[\s>|#*/+-]+/u, '')).replace(/\s+/gu, '');
}

/** Short lines in a row, each run as one. */
function shortRunsOf(text: string): readonly string[] {
  const runs = [''];
  for (const line of linesOf(text)) {
    const bare = bareLine(line);
    if (bare.length >= gram || isEverybodys(line)) runs.push('');
    else runs.push(`${runs.pop() ?? ''}${bare}`);
  }
  return runs;
}

function* variedGramsOf(run: string): Generator<number> {
  let at = 0;
  for (const one of gramsOf(run, longGram)) {
    if (new Set(run.slice(at, at + longGram)).size >= leastVaried) yield one;
    at += 1;
  }
}

/** Of so many marks in a row, one is kept. So a copy of 31 non-blank characters in a line has at least one of them. */
const keptOf = 8;

/** The marks of a text that are kept for later sessions: fewer, and the same for every copy. */
export function* keptMarksOf(text: string): Generator<number> {
  for (const line of linesOf(text)) {
    if (isEverybodys(line)) continue;
    yield* rareWordsOf(folded(line));
    yield* leastOf([...gramsOf(bareLine(line), gram)]);
  }
  for (const run of shortRunsOf(text)) yield* leastOf([...variedGramsOf(run)]);
}

function* leastOf(marks: readonly number[]): Generator<number> {
  let last: number | null = null;
  for (let at = 0; at < marks.length; at += 1) {
    if (at > 0 && at + keptOf > marks.length) break;
    const least = Math.min(...marks.slice(at, at + keptOf));
    if (least !== last) yield least;
    last = least;
  }
}

function* rareWordsOf(line: string): Generator<number> {
  for (const found of line.match(/[\p{L}\p{N}_@.+-]{7,64}/gu) ?? []) {
    const word = found.replace(/^[.+-]+|(?<![.+-])[.+-]+$/g, '');
    if (isRareWord(word)) yield hashOf(word);
  }
}

/** Marks of whole short lines. Only for redaction, where a wrong match does little harm. */
export function* lineMarksOf(text: string): Generator<number> {
  for (const line of linesOf(text)) {
    const bare = bareLine(line);
    if (bare.length >= shortestLine && bare.length < gram && !isEverybodys(line)) yield hashOf(`\n${bare}`);
  }
}

/** Lines that stand at the top of many files, such as imports. */
function isEverybodys(line: string): boolean {
  return /^\s*(?:\d+:\s*)?(?:import\b|from\s+\S+\s+import\b|export\s+\*|using\s|package\s|#include|#!\/|use\s+\w+::|['"]use strict|(?:const|let|var)\s+.{1,80}=\s*require\()/u.test(
    line,
  );
}

/** A word with digits and letters in it, a long number, or an email address. */
function isRareWord(word: string): boolean {
  const figures = (word.match(/\d/g) ?? []).length;
  if (/^[^@]+@[^@]+\.[^@.]+$/u.test(word)) return true;
  if (/^[\d.+-]+$/.test(word)) return figures >= 8 && !word.includes('.');
  return figures >= 2 && word.length >= 8 && /\p{L}/u.test(word);
}

function hashOf(word: string): number {
  let first = 1;
  let second = 1;
  for (let at = 0; at < word.length; at += 1) {
    first = (first * baseA + word.charCodeAt(at)) % modulusA;
    second = (second * baseB + word.charCodeAt(at)) % modulusB;
  }
  return first * 2 ** 26 + second;
}

const drops = new Map(
  [gram, longGram].map((length) => [
    length,
    { dropA: powerOf(baseA, modulusA, length), dropB: powerOf(baseB, modulusB, length) },
  ]),
);

function* gramsOf(line: string, length: number): Generator<number> {
  const { dropA = 1, dropB = 1 } = drops.get(length) ?? {};
  if (line.length < length) return;
  let first = 0;
  let second = 0;
  for (let at = 0; at < line.length; at += 1) {
    const code = line.charCodeAt(at);
    if (at >= length) {
      const gone = line.charCodeAt(at - length);
      first = (first + modulusA - ((gone * dropA) % modulusA)) % modulusA;
      second = (second + modulusB - ((gone * dropB) % modulusB)) % modulusB;
    }
    first = (first * baseA + code) % modulusA;
    second = (second * baseB + code) % modulusB;
    if (at >= length - 1) yield first * 2 ** 26 + second;
  }
}

/** The text itself, and what it contains once escapes, base64, hexadecimal and percent encoding are undone. */
export function* viewsOf(text: string): Generator<string> {
  let from = 0;
  do {
    yield* viewsOfPiece(text.slice(from, from + longestView));
    from += longestView - overlap;
  } while (from + overlap < text.length);
}

function viewsOfPiece(whole: string): readonly string[] {
  // Line numbers may interrupt an encoded text.
  const bare = whole.replace(numbers, '');
  const inside = [whole, ...(bare === whole ? [] : [bare])].flatMap(decodedIn);
  return [whole, ...inside.map(({ text: inner }) => inner), ...(isEscaped(whole) ? [unescapeText(whole)] : [])];
}

function isEscaped(text: string): boolean {
  return /\\[nrt"\\/u]/.test(text);
}

/** Undoes the escapes of JSON, also of JSON inside JSON. */
export function unescapeText(text: string): string {
  let inner = text;
  for (let depth = 0; depth < 3 && isEscaped(inner); depth += 1) {
    inner = inner.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gsu, (_all, code?: string, sign?: string) =>
      code === undefined ? (escapes[sign ?? ''] ?? sign ?? '') : String.fromCharCode(Number.parseInt(code, 16)),
    );
  }
  return inner;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** An encoded part of a text, with its place and its decoded text. */
export interface DecodedPart {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * Parts in base64, hexadecimal or percent encoding that decode to text. Finds them even when their beginning was cut
 * off.
 */
export function decodedIn(text: string): readonly DecodedPart[] {
  const found: DecodedPart[] = [];
  for (const match of text.matchAll(/(?:[0-9a-fA-F]{2}){12,}/g)) keep(found, match, [fromHex(match[0])]);
  for (const match of text.matchAll(/[A-Za-z0-9+/_-]{16,}(?:(?:\\n|\r?\n)[A-Za-z0-9+/_-]{4,})*={0,2}/g)) {
    keep(found, match, fromBase64(match[0].replace(/\\n|\s/g, '')));
  }
  for (const match of text.matchAll(/[^\s"']+/g)) {
    if ((match[0].match(/%[0-9a-fA-F]{2}/g)?.length ?? 0) >= 2) keep(found, match, [fromPercent(match[0])]);
  }
  return found;
}

function keep(found: DecodedPart[], match: RegExpExecArray, decoded: readonly (string | null)[]): void {
  for (const text of decoded) {
    if (text !== null) found.push({ from: match.index, to: match.index + match[0].length, text });
  }
}

function fromHex(run: string): string | null {
  const bytes = new Uint8Array(run.length / 2);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = Number.parseInt(run.slice(at * 2, at * 2 + 2), 16);
  return readable(bytes);
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const sixBits = new Map<string, number>(alphabet.split('').map((sign, at) => [sign, at]));
sixBits.set('-', 62).set('_', 63);

/** Decodes from each of four offsets, because a cut may have removed any number of characters. */
function fromBase64(run: string): readonly (string | null)[] {
  const signs = run.replace(/(?<!=)=+$/, '');
  return [0, 1, 2, 3].map((start) => {
    const bytes = new Uint8Array(Math.floor(((signs.length - start) * 6) / 8));
    let held = 0;
    let bits = 0;
    let out = 0;
    for (let at = start; at < signs.length && out < bytes.length; at += 1) {
      held = ((held << 6) | (sixBits.get(signs[at] ?? '') ?? 0)) & 0x3fff;
      bits += 6;
      if (bits < 8) continue;
      bits -= 8;
      bytes[out] = (held >> bits) & 0xff;
      out += 1;
    }
    return readable(bytes);
  });
}

function fromPercent(run: string): string | null {
  try {
    return decodeURIComponent(run.replaceAll('+', ' '));
  } catch {
    // The run only looked like an encoded text.
    return null;
  }
}

/** Null when the bytes are no text. Broken characters at both ends are ignored, because a cut may leave them. */
function readable(bytes: Uint8Array): string | null {
  if (bytes.length < 8) return null;
  let odd = 0;
  for (const byte of bytes) if ((byte < 32 && byte !== 9 && byte !== 10 && byte !== 13) || byte === 127) odd += 1;
  if (odd * 20 > bytes.length) return null;
  return new TextDecoder().decode(bytes);
}
