import { forgetMark, minForgetLength } from '@shared/projects/memory-line.ts';

/** Takes texts out of bytes of any kind, each replaced by a mark of as many bytes, so that nothing after it moves. */
export interface TextFilter {
  /** `bytes`: one character for each byte. Returns the same string if none of the texts is in it. */
  readonly erase: (bytes: string) => string;
}

/** White space, also as JSON writes it, and as JSON in JSON does. */
const gap = String.raw`(?:[ \t\n\r]|\\{1,4}[nrt]){1,20}`;

/** A byte of a word. Longer characters do not count: such scripts often write words without a gap. */
const wordByte = String.raw`[0-9A-Z_a-z]|[\xc3-\xdf][\x80-\xbf]`;

/** What stands directly before a word without being part of it: an escape of JSON, and a color of a terminal. */
const escape = String.raw`\\{1,8}(?:[bfnrt]|u[\da-f]{4})|(?:\x1b|u001b)\[[\d;]{0,16}[A-Za-z]`;

/** `src/main` is not looked for in `lib/src/main`, nor `npm test` in `npm test:unit`. */
const begins = String.raw`(?:(?<=${escape})|(?<!${wordByte}|[0-9A-Z_a-z]/))`;
const ends = String.raw`(?![0-9A-Z_a-z\xc3-\xdf]|[-/:][0-9A-Z_a-z])`;

/**
 * `texts`: as people read them. They are found as they are and as JSON or JSON in JSON writes them, with any white space
 * between their words, and not inside of other words. Texts that are too short are left alone.
 */
export function createTextFilter(texts: readonly string[]): TextFilter {
  const long = texts.filter((text) => text.length >= minForgetLength);
  if (long.length === 0) return { erase: (bytes) => bytes };
  const forms = new Set(long.flatMap((text) => [0, 1, 2].map((level) => formOf(text, level))));
  const found = new RegExp([...forms].toSorted((left, right) => right.length - left.length).join('|'), 'gu');
  return { erase: (bytes) => bytes.replaceAll(found, forgetMark) };
}

function formOf(text: string, level: number): string {
  const form = text
    .split(/\s+/u)
    .filter((word) => word !== '')
    .map((word) => {
      let written = word;
      for (let at = 0; at < level; at += 1) written = JSON.stringify(written).slice(1, -1);
      return asBytes(written).replaceAll(/[$()*+.?[\\\]^{|}/]/gu, String.raw`\$&`);
    })
    .join(gap);
  const bytes = asBytes(text.trim());
  const first = new RegExp(`^(?:${wordByte})`, 'u').test(bytes) ? begins : '';
  return `${first}${form}${new RegExp(`(?:${wordByte})$`, 'u').test(bytes) ? ends : ''}`;
}

const asBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** The text as people read it, with the marks. */
export function filterText(text: string, { erase }: TextFilter): string {
  return Buffer.from(erase(asBytes(text)), 'latin1').toString('utf8');
}
