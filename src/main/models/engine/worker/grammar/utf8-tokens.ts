/**
 * The tokens of a vocabulary that would produce invalid UTF-8. The engine's grammars accept overlong forms as the
 * character that they encode, but they come out as several replacement characters.
 */
export interface Utf8Tokens {
  /** Tokens that are never allowed: with C0, C1, F5 to FF, or an overlong form inside. */
  readonly never: readonly number[];
  /** Tokens that end in a first byte after which some bytes are not allowed. */
  readonly endsIn: ReadonlyMap<number, OpenByte>;
  /** The tokens that must not follow this byte, because together they would form an overlong sequence. */
  readonly notAfter: Readonly<Record<OpenByte, readonly number[]>>;
}

export type OpenByte = 'E0' | 'F0';

/** @param kind the tokenizer in the header: "gpt2" writes bytes as letters, the others as `<0xE0>` */
export function readUtf8Tokens(kind: string, tokens: readonly string[]): Utf8Tokens {
  const bytesOf = kind === 'gpt2' ? bytesOfLetters : bytesOfPiece;
  const never: number[] = [];
  const endsIn = new Map<number, OpenByte>();
  const notAfter: Record<OpenByte, number[]> = { E0: [], F0: [] };
  for (const [token, text] of tokens.entries()) {
    const bytes = bytesOf(text);
    if (bytes === null) continue;
    if (bytes.some((byte, index) => isNever(byte) || isOverlong(byte, bytes[index + 1]))) never.push(token);
    const last = bytes.at(-1);
    if (last === 0xe0) endsIn.set(token, 'E0');
    if (last === 0xf0) endsIn.set(token, 'F0');
    if (isOverlong(0xe0, bytes[0])) notAfter.E0.push(token);
    if (isOverlong(0xf0, bytes[0])) notAfter.F0.push(token);
  }
  return { never, endsIn, notAfter };
}

function isNever(byte: number): boolean {
  return byte === 0xc0 || byte === 0xc1 || byte >= 0xf5;
}

function isOverlong(first: number, second: number | undefined): boolean {
  if (second === undefined || second < 0x80) return false;
  return (first === 0xe0 && second < 0xa0) || (first === 0xf0 && second < 0x90);
}

/** Byte-level vocabularies write each byte as a letter: printable bytes as themselves, the others from U+0100 on. */
const byteOfLetter: ReadonlyMap<string, number> = (() => {
  const letters = new Map<string, number>();
  let others = 0;
  for (let byte = 0; byte < 256; byte += 1) {
    const isItself = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
    letters.set(String.fromCodePoint(isItself ? byte : 0x100 + others), byte);
    if (!isItself) others += 1;
  }
  return letters;
})();

/** Null for a token that is not byte-level, as control tokens may be. */
function bytesOfLetters(text: string): readonly number[] | null {
  const bytes: number[] = [];
  for (const letter of text) {
    const byte = byteOfLetter.get(letter);
    if (byte === undefined) return null;
    bytes.push(byte);
  }
  return bytes;
}

/** SentencePiece has whole characters, and one token for each byte. */
function bytesOfPiece(text: string): readonly number[] | null {
  const byte = /^<0x([0-9A-F]{2})>$/u.exec(text)?.[1];
  return byte === undefined ? null : [Number.parseInt(byte, 16)];
}
