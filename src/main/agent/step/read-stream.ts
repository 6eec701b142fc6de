import { messageOf } from '@shared/errors.ts';
import type { Transient } from '@shared/events/events.ts';
import type { Part } from '@shared/models/model-messages.ts';
import { noUsage } from '@shared/money/token-cost.ts';
import { childAbort } from '../../lib/async/child-abort.ts';
import type { ProviderError, StreamEnded, StreamPart } from '../../models/providers/define.ts';

/** How much of the end of an answer must consist of one repeated text before the answer is stopped. */
const REPEATED_CHARACTERS = 1_600;
const LONGEST_PERIOD = 200;
const LEAST_TIMES = 8;
const END_CHARACTERS = 16;

/**
 * Whether a text ends in the same piece again and again, as a small model writes when it is stuck. Rulers, blank tables
 * and the like stay well below the required length. The answer is cut at this point, so the check also holds for the
 * recorded text.
 */
export function isEndlessRepetition(text: string): boolean {
  if (text.length < REPEATED_CHARACTERS) return false;
  const tail = text.slice(-REPEATED_CHARACTERS);
  // The end of a repeated text stands one period before itself, which is quickly seen.
  const near = tail.slice(-(LONGEST_PERIOD + END_CHARACTERS));
  if (near.lastIndexOf(near.slice(-END_CHARACTERS), near.length - END_CHARACTERS - 1) === -1) return false;
  const period = shortestPeriod(tail);
  return period <= LONGEST_PERIOD && tail.length / period >= LEAST_TIMES;
}

/** Uses the failure function of Knuth, Morris and Pratt: the period is the length minus the longest border. */
function shortestPeriod(text: string): number {
  const border = new Int32Array(text.length);
  let matched = 0;
  for (let at = 1; at < text.length; at += 1) {
    while (matched > 0 && text.charCodeAt(at) !== text.charCodeAt(matched)) matched = border[matched - 1] ?? 0;
    if (text.charCodeAt(at) === text.charCodeAt(matched)) matched += 1;
    border[at] = matched;
  }
  return text.length - (border[text.length - 1] ?? 0);
}

export interface ReadStream {
  readonly parts: readonly Part[];
  readonly ended: StreamEnded;
  /** The answer repeated itself and was stopped. */
  readonly repeated: boolean;
}

/** How long a provider may take to end after an abort. After that it is not waited for. */
const ABORT_GRACE_MS = 2_000;

interface Reading {
  text: string;
  /** The end of the text. Looking at the whole text would copy it with every piece. */
  tail: string;
  /** Reasoning that is not part of a block yet. */
  reasoning: string;
  /** Blocks of reasoning and the text around them, in their order. */
  readonly said: Part[];
  saidText: number;
  readonly calls: Part[];
  repeated: boolean;
}

/**
 * Reads one answer to its end. Never rejects: a provider that throws, ends without `ended` or ignores an abort becomes
 * an error. `open` is called once, or not at all if the signal is already aborted.
 */
export async function readStream(
  open: (signal: AbortSignal) => AsyncIterable<StreamPart>,
  callId: string,
  push: (transient: Transient) => void,
  signal: AbortSignal,
): Promise<ReadStream> {
  const reading: Reading = { text: '', tail: '', reasoning: '', said: [], saidText: 0, calls: [], repeated: false };
  const child = childAbort(signal);
  try {
    const ended = child.signal.aborted
      ? cancelled()
      : await drain(open(child.signal), reading, (part) => take(part, callId, push, reading), child);
    return finish(reading, ended, signal);
  } catch (error) {
    const broken: ProviderError = { code: 'internal', message: messageOf(error), retryable: false };
    return finish(
      reading,
      signal.aborted ? cancelled() : { ...cancelled(), stopReason: 'error', error: broken },
      signal,
    );
  } finally {
    child.release();
  }
}

async function drain(
  stream: AsyncIterable<StreamPart>,
  reading: Reading,
  onPart: (part: Exclude<StreamPart, StreamEnded>) => void,
  child: { readonly signal: AbortSignal; abort(): void },
): Promise<StreamEnded> {
  const iterator = stream[Symbol.asyncIterator]();
  const gone = afterAbort(child.signal);
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), gone.promise]);
      if (next === 'gone') return cancelled();
      if (next.done === true) return withoutEnd();
      const part = next.value;
      if (part.type === 'ended') return part;
      onPart(part);
      if (!reading.repeated && part.type === 'text-delta' && isEndlessRepetition(reading.tail)) {
        reading.repeated = true;
        child.abort();
      }
    }
  } finally {
    gone.release();
    close(iterator);
  }
}

/** Lets the provider clean up after its last part, without waiting for it. */
function close(iterator: AsyncIterator<StreamPart>): void {
  iterator.return?.().catch(() => undefined);
}

function take(
  part: Exclude<StreamPart, StreamEnded>,
  callId: string,
  push: (transient: Transient) => void,
  reading: Reading,
): void {
  switch (part.type) {
    case 'progress':
      push({ ...part, type: 'call-progress', callId });
      return;
    case 'text-delta':
      if (reading.repeated) return;
      reading.text += part.text;
      reading.tail = (reading.tail + part.text).slice(-REPEATED_CHARACTERS);
      push({ ...part, callId });
      return;
    case 'reasoning-delta':
      reading.reasoning += part.text;
      push({ type: 'reasoning-delta', callId, text: part.text });
      return;
    case 'text-was-thought':
      reading.reasoning += reading.text.slice(reading.saidText);
      reading.text = reading.text.slice(0, reading.saidText);
      return;
    case 'reasoning':
      closeText(reading);
      reading.said.push(part.part);
      reading.reasoning = '';
      return;
    case 'tool-call':
      reading.calls.push(part.call);
      return;
    default:
      return part satisfies never;
  }
}

function finish(reading: Reading, ended: StreamEnded, signal: AbortSignal): ReadStream {
  closeText(reading);
  const parts: Part[] = reading.reasoning === '' ? [] : [{ type: 'reasoning', text: reading.reasoning }];
  parts.push(...reading.said, ...reading.calls);
  if (reading.repeated && !signal.aborted) {
    return { parts, ended: { ...ended, stopReason: 'repetition', error: null }, repeated: true };
  }
  return { parts, ended, repeated: ended.stopReason === 'repetition' };
}

/** Keeps reasoning and text in order, because a service signs that order. */
function closeText(reading: Reading): void {
  const text = reading.text.slice(reading.saidText);
  reading.saidText = reading.text.length;
  if (text !== '') reading.said.push({ type: 'text', text });
}

function cancelled(): StreamEnded {
  return {
    type: 'ended',
    stopReason: 'cancelled',
    usage: { ...noUsage, estimated: true },
    evaluatedTokens: null,
    timings: { queuedMs: 0, prefillMs: null, decodeMs: null, totalMs: 0 },
    error: null,
  };
}

function withoutEnd(): StreamEnded {
  const error: ProviderError = { code: 'cut', message: 'The answer stopped without an end.', retryable: true };
  return { ...cancelled(), stopReason: 'error', error };
}

function afterAbort(signal: AbortSignal): { readonly promise: Promise<'gone'>; release(): void } {
  let timer: NodeJS.Timeout | undefined;
  let start: () => void = () => {};
  const promise = new Promise<'gone'>((resolve) => {
    start = () => {
      timer = setTimeout(() => resolve('gone'), ABORT_GRACE_MS);
    };
  });
  if (signal.aborted) start();
  else signal.addEventListener('abort', start, { once: true });
  return {
    promise,
    release: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', start);
    },
  };
}
