import { hideSecrets, secretShapes } from '@shared/safety/secret-patterns.ts';
import { mapStrings } from '../../lib/map-strings.ts';

/** Takes secrets out of what is about to be kept. The same text gives the same result; redacting twice changes nothing. */
export interface Redactor {
  text(text: string): string;
  /** A copy of `value` as JSON would keep it, its strings redacted; the value itself when nothing had to change. */
  json<T>(value: T): T;
  /** For output that comes in pieces: a secret that lies across two of them is found too. */
  stream(): RedactStream;
  /** A secret that became known later; from now on it is taken out, too. */
  learn(literal: Literal): void;
  /** Grows with what is learnt: what was looked through before has to be looked through again. */
  knownSecrets(): number;
}

/** Bytes in, redacted bytes out; what may be the beginning of a secret is held back until more is known. */
interface RedactStream {
  write(bytes: Uint8Array): Uint8Array;
  end(): Uint8Array;
}

/** A value shorter than this would be found everywhere. */
const shortestLiteral = 8;

interface Literal {
  readonly kind: string;
  readonly value: string;
}

/** `literals`: the values of secrets known on this machine, each with a word for what it is. */
export function createRedactor(literals: readonly Literal[] = []): Redactor {
  let known = withEscapes(literals.filter((literal) => literal.value.length >= shortestLiteral));
  const asBytes = (): readonly Literal[] =>
    known.map(({ kind, value }) => ({ kind, value: Buffer.from(value, 'utf8').toString('latin1') }));
  let inBytes = asBytes();
  const text = (input: string): string => redactText(input, known);
  return {
    text,
    json: (value) => mapStrings(value, (input) => text(input)),
    stream: () => createRedactStream(inBytes),
    knownSecrets: () => known.length,
    learn: (literal) => {
      if (literal.value.length < shortestLiteral || known.some(({ value }) => value === literal.value)) return;
      known = withEscapes([...known, literal]);
      inBytes = asBytes();
    },
  };
}

/** Each value as it is and as it stands in JSON; the longest first, as one secret may be the beginning of another. */
function withEscapes(literals: readonly Literal[]): readonly Literal[] {
  const escaped = literals.map(({ kind, value }) => ({ kind, value: JSON.stringify(value).slice(1, -1) }));
  const all = [...literals, ...escaped.filter(({ value }, index) => value !== literals[index]?.value)];
  return all.sort((left, right) => right.value.length - left.value.length);
}

/** One character a byte, so that bytes that are no text survive. */
function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

function redactText(input: string, literals: readonly Literal[]): string {
  let text = input;
  for (const { kind, value } of literals) {
    if (text.includes(value)) text = text.replaceAll(value, `[redacted:${kind}]`);
  }
  return hideSecrets(text, secretShapes).text;
}

/** Held back at most while no safe place to cut is found; longer than any key, shorter than a PEM block with its frame. */
const holdBytes = 32 * 1024;

/** Cuts only at line breaks, and not inside a PEM block. */
function createRedactStream(known: readonly Literal[]): RedactStream {
  const longest = known[0]?.value.length ?? 0;
  let held = '';
  const release = (until: number): Uint8Array => {
    const ready = held.slice(0, until);
    held = held.slice(until);
    return Buffer.from(redactText(ready, known), 'latin1');
  };
  return {
    write: (bytes) => {
      held += latin1(bytes);
      return release(safeCut(held, Math.max(longest, 512)));
    },
    end: () => release(held.length),
  };
}

/** Up to where a text can be judged without what follows. */
function safeCut(text: string, overlap: number): number {
  const lineCut = text.lastIndexOf('\n') + 1;
  const begin = text.lastIndexOf('-----BEGIN ', lineCut);
  const isOpen = begin >= 0 && !/-----END [A-Z0-9 ]*-----/.test(text.slice(begin, lineCut));
  if (isOpen && text.length - begin < holdBytes) return Math.min(lineCut, begin);
  if (lineCut > 0) return lineCut;
  if (text.length < holdBytes) return 0;
  // One very long line: cut at a space before the last stretch, or leave an overlap and cut where nothing can be seen.
  const space = text.lastIndexOf(' ', text.length - overlap);
  return space > 0 ? space : text.length - overlap;
}
