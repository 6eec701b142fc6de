import type { SayMore } from '../../tools/results/cut-result.ts';
import { cutByStructure } from '../../tools/results/cut-result.ts';

/** How much of a tool's output a model with a large context sees: the head, and more of the tail, where errors are. */
const HEAD_BYTES = 8 * 1024;
const TAIL_BYTES = 24 * 1024;

/** A model with a smaller context sees proportionally less: about a quarter of its context. */
const FULL_CAP_CONTEXT_TOKENS = 32_768;

/** The most bytes of a file that are shown at once. A file is read in order, so it may take more than other output. */
const FILE_BYTES = 32 * 1024;

export function fileBytes(contextTokens: number): number {
  return Math.min(FILE_BYTES, contextTokens);
}

export interface CappedOutput {
  readonly text: string;
  /** False: the text is complete. */
  readonly cut: boolean;
}

interface WholeOutput {
  /** How to read what is left out. */
  readonly rest?: string;
  /** Bytes that were printed, of which the text may have only a part. */
  readonly printedBytes?: number;
}

/** The part of an output that goes to the model. A line in the middle says what is left out and how to read it. */
export function capOutput(text: string, contextTokens: number, whole: WholeOutput = {}): CappedOutput {
  const scale = Math.min(1, contextTokens / FULL_CAP_CONTEXT_TOKENS);
  return cutMiddle(text, Math.floor(HEAD_BYTES * scale), Math.floor(TAIL_BYTES * scale), whole);
}

/**
 * Like `capOutput`, for output from outside: JSON and tables keep their form, and a line above says what was left out
 * and how to read the rest (`sayMore`).
 */
export function capStructured(text: string, contextTokens: number, sayMore: SayMore): CappedOutput {
  const plain = capOutput(text, contextTokens);
  if (!plain.cut) return plain;
  const scale = Math.min(1, contextTokens / FULL_CAP_CONTEXT_TOKENS);
  const structured = cutByStructure(text, Math.floor((HEAD_BYTES + TAIL_BYTES) * scale), sayMore);
  return { text: structured ?? `[Shortened. ${sayMore({})}]\n${plain.text}`, cut: true };
}

/** An older result cut to about `keepTokens`, to make room. A pure function of its arguments. */
export function shortenResult(text: string, keepTokens: number, rest?: string): string {
  const bytes = keepTokens * 3;
  return cutMiddle(text, Math.floor(bytes / 2), Math.ceil(bytes / 2), rest === undefined ? {} : { rest }).text;
}

function cutMiddle(
  text: string,
  headBytes: number,
  tailBytes: number,
  { rest, printedBytes = 0 }: WholeOutput,
): CappedOutput {
  // A UTF-16 unit has at most three bytes, so short texts need no counting.
  if (text.length * 3 <= headBytes + tailBytes) return { text, cut: false };
  const size = Buffer.byteLength(text, 'utf8');
  if (size <= headBytes + tailBytes) return { text, cut: false };
  // A character has at least one byte, so these slices hold all that is needed of a text of any length.
  const first = Buffer.from(text.slice(0, headBytes + 1), 'utf8');
  const last = Buffer.from(text.slice(-tailBytes - 1), 'utf8');
  const head = first.subarray(0, headStop(first, headBytes)).toString('utf8');
  const tail = last.subarray(tailStart(last, last.length - tailBytes)).toString('utf8');
  const left = Math.max(size, printedBytes) - Buffer.byteLength(head) - Buffer.byteLength(tail);
  return {
    text: `${head}\n[… ${left} bytes left out here${rest === undefined ? '' : `; ${rest}`} …]\n${tail}`,
    cut: true,
  };
}

/** Does not cut inside a character, and cuts at the end of a line if one is near. */
function headStop(bytes: Buffer, wanted: number): number {
  const line = bytes.lastIndexOf(0x0a, wanted);
  if (line > wanted * 0.7) return line;
  let at = wanted;
  while (at > 0 && isContinuation(bytes[at])) at -= 1;
  return at;
}

function tailStart(bytes: Buffer, wanted: number): number {
  const line = bytes.indexOf(0x0a, wanted);
  if (line !== -1 && line - wanted < (bytes.length - wanted) * 0.3) return line + 1;
  let at = wanted;
  while (at < bytes.length && isContinuation(bytes[at])) at += 1;
  return at;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
