import { hideSecrets, type Mask, plainMask } from '../../lib/secrets/secret-patterns.ts';
import { mapStrings } from '../../lib/map-strings.ts';

/** Removes secrets from what is about to be stored. Deterministic; redacting twice changes nothing more. */
export interface Redactor {
  text(text: string): string;
  /** A copy of `value` as JSON stores it, with its strings redacted. Returns the value itself if nothing changed. */
  json<T>(value: T): T;
  /** For output in pieces: also finds a secret that is split between two pieces. */
  stream(): RedactStream;
  /** Adds a secret that became known later. It is removed from now on. */
  learn(literal: Literal): void;
  /** A number that grows with each new secret. If it grew, texts that were checked before must be checked again. */
  knownSecrets(): number;
}

/** Bytes in, redacted bytes out. Bytes that may begin a secret are held back until more is known. */
interface RedactStream {
  write(bytes: Uint8Array): Uint8Array;
  end(): Uint8Array;
}

/** Shorter values would match everywhere. */
const shortestLiteral = 8;

interface Literal {
  readonly kind: string;
  readonly value: string;
}

/**
 * `literals`: the known secrets of this machine, each with a word for its kind. `mask`: what stands in place of a secret.
 */
export function createRedactor(literals: readonly Literal[] = [], mask: Mask = plainMask): Redactor {
  let known = withEscapes(literals.filter((literal) => literal.value.length >= shortestLiteral));
  const asBytes = (): readonly Literal[] =>
    known.map(({ kind, value }) => ({ kind, value: Buffer.from(value, 'utf8').toString('latin1') }));
  let inBytes = asBytes();
  const text = (input: string): string => redactText(input, known, mask);
  return {
    text,
    json: (value) => mapStrings(value, (input) => text(input)),
    stream: () => createRedactStream(inBytes, mask),
    knownSecrets: () => known.length,
    learn: (literal) => {
      if (literal.value.length < shortestLiteral || known.some(({ value }) => value === literal.value)) return;
      known = withEscapes([...known, literal]);
      inBytes = asBytes();
    },
  };
}

/** Each value as it is and as JSON escapes it. The longest first: one secret may be the beginning of another. */
function withEscapes(literals: readonly Literal[]): readonly Literal[] {
  const escaped = literals.map(({ kind, value }) => ({ kind, value: JSON.stringify(value).slice(1, -1) }));
  const all = [...literals, ...escaped.filter(({ value }, index) => value !== literals[index]?.value)];
  return all.sort((left, right) => right.value.length - left.value.length);
}

/** One character per byte, so that bytes that are not text survive. */
function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

function redactText(input: string, literals: readonly Literal[], mask: Mask): string {
  let text = input;
  for (const { kind, value } of literals) {
    if (text.includes(value)) text = text.replaceAll(value, () => mask(kind, value));
  }
  return hideSecrets(text, mask).text;
}

/** The most that is held back without a line break. */
const holdBytes = 56 * 1024;
/** Longer than any key or block of a key that is looked for. */
const overlapBytes = 17 * 1024;

/** Cuts at line breaks and not inside a PEM block, and within one long line where no secret lies. */
function createRedactStream(known: readonly Literal[], mask: Mask): RedactStream {
  const longest = known[0]?.value.length ?? 0;
  const redact = (text: string): string => redactText(text, known, mask);
  let held = '';
  const release = (until: number): Uint8Array => {
    const ready = held.slice(0, until);
    held = held.slice(until);
    return Buffer.from(redact(ready), 'latin1');
  };
  return {
    write: (bytes) => {
      held += latin1(bytes);
      return release(safeCut(held, Math.max(longest, overlapBytes), redact));
    },
    end: () => release(held.length),
  };
}

/** The position up to which a text can be checked without what follows. */
function safeCut(text: string, overlap: number, redact: (text: string) => string): number {
  const lineCut = text.lastIndexOf('\n') + 1;
  const begin = text.lastIndexOf('-----BEGIN ', lineCut);
  const end = begin < 0 ? null : /-----END [A-Z0-9 ]*-----/.exec(text.slice(begin));
  const isOpen = begin >= 0 && (end === null || begin + end.index >= lineCut);
  if (isOpen && text.length - begin < holdBytes) return Math.min(lineCut, begin);
  if (lineCut > 0 && !(isOpen && end !== null)) return lineCut;
  if (text.length < Math.max(holdBytes, overlap * 2)) return 0;
  // One very long line. A cut is safe where both parts give what the whole gives.
  const whole = redact(text);
  for (let back = overlap; back < text.length; back = Math.ceil(back * 1.2)) {
    const cut = text.length - back;
    if (redact(text.slice(0, cut)) + redact(text.slice(cut)) === whole) return cut;
  }
  // A secret may be all of it. It is let go before it fills the memory.
  return text.length < holdBytes * 4 ? 0 : text.length - overlap;
}
