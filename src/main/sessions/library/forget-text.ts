/** Takes texts out of bytes of any kind, each replaced by a mark of as many bytes, so that nothing after it moves. */
export interface TextFilter {
  /** `bytes`: one character for each byte. Returns the same string if none of the texts is in it. */
  readonly erase: (bytes: string) => string;
}

/** A shorter text would be found in words that have nothing to do with it. */
export const minForgetLength = 8;

/** White space, also as JSON writes it, and as JSON in JSON does. */
const gap = String.raw`(?:[ \t\n\r]|\\{1,4}[nrt]){1,20}`;

/**
 * `texts`: as people read them. They are found as they are and as JSON or JSON in JSON writes them, with any white space
 * between their words. Texts that are too short are left alone.
 */
export function createTextFilter(texts: readonly string[]): TextFilter {
  const long = texts.filter((text) => text.length >= minForgetLength);
  if (long.length === 0) return { erase: (bytes) => bytes };
  const forms = new Set(long.flatMap((text) => [0, 1, 2].map((level) => formOf(text, level))));
  const found = new RegExp([...forms].toSorted((left, right) => right.length - left.length).join('|'), 'gu');
  return { erase: (bytes) => bytes.replaceAll(found, markOf) };
}

function formOf(text: string, level: number): string {
  return text
    .split(/\s+/u)
    .filter((word) => word !== '')
    .map((word) => {
      let written = word;
      for (let at = 0; at < level; at += 1) written = JSON.stringify(written).slice(1, -1);
      return asBytes(written).replaceAll(/[$()*+.?[\\\]^{|}/]/gu, String.raw`\$&`);
    })
    .join(gap);
}

const asBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

const markStart = '[forgotten';

/** Quotes, line breaks and escapes stay, so that the mark is the same however often JSON is read or written. */
function markOf(match: string): string {
  const dots = match.replaceAll(/(\\+[^]|["\n\r\t])|[^]/gu, (_one, kept?: string) => kept ?? '.');
  const start = dots.startsWith('.'.repeat(markStart.length)) ? markStart : '';
  return dots.endsWith('.') && start !== '' ? `${start}${dots.slice(start.length, -1)}]` : dots;
}

/** The text as people read it, with the marks. */
export function filterText(text: string, { erase }: TextFilter): string {
  return Buffer.from(erase(asBytes(text)), 'latin1').toString('utf8');
}
