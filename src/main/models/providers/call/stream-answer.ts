import type { Message, ReasoningPart, ToolCallPart } from '@shared/models/model-messages.ts';
import type { Usage } from '@shared/money/token-cost.ts';
import type { ModelRequest, ProviderError, StreamEnded, StreamPart } from '../define.ts';
import { endedWith, estimateTokens } from './call-ended.ts';
import { callInThoughts, createThoughtSplit, type AnswerPiece } from './split-thoughts.ts';
import { imageTokens } from './image-tokens.ts';
import { StalledError, watchForStalls } from './stall-watch.ts';
import type { StopReason } from '@shared/events/call-events.ts';

/** An answer while it arrives, filled by a wire format. Nothing in it may be acted on before `stopReason` is set. */
export interface Answer {
  text: string;
  reasoning: string;
  /** Null until the service has confirmed that the answer is complete. */
  stopReason: StopReason | null;
  /** Null until the service has sent its counts. They are converted into our four buckets. */
  usage: Usage | null;
  /** An error inside a stream that began with status 200. */
  error: ProviderError | null;
  model: string | null;
  evaluatedTokens: number | null;
  prefillMs: number | null;
  decodeMs: number | null;
  readonly calls: ToolCallPart[];
}

export interface CallContext {
  /** Who is waited for. Absent: a service that is asked again after any silence. */
  readonly service?: { readonly id: string; readonly where: 'local' | 'cloud' };
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** The allowed silence before the first word, and after it. */
  readonly firstWordMs: number;
  readonly stallMs: number;
  /** The allowed silence after the machine slept. Absent: the usual limit holds. */
  readonly wokenMs?: number;
}

/** One wire format: how to start a call and what its events mean. */
export interface Wire<Event> {
  readonly open: (request: ModelRequest, signal: AbortSignal) => Promise<AsyncIterable<Event>>;
  /** Adds an event to the answer, and yields what may be shown at once. */
  readonly take: (event: Event, answer: Answer) => Iterable<StreamPart>;
  /** Called after the last event, to put calls together that came in pieces. */
  readonly close?: (answer: Answer) => void;
  /** What went wrong, in our words. Null if the error does not come from this wire. */
  readonly errorOf: (error: unknown) => ProviderError | null;
}

/**
 * Runs one call over any wire. Aborts, silence, cuts and errors end it in the same way everywhere. Tool calls are
 * passed on only after the service has confirmed that the answer is complete.
 */
export async function* streamAnswer<Event>(
  wire: Wire<Event>,
  request: ModelRequest,
  context: CallContext,
): AsyncIterable<StreamPart> {
  const startedAt = context.now();
  // Combines the caller's signal with our own abort, so that a stalled socket is closed, too.
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  if (context.signal.aborted) abort();
  context.signal.addEventListener('abort', abort, { once: true });
  const taken = emptyAnswer();
  let firstAt: number | null = null;
  let events = 0;
  // A form leaves no place for thoughts, and a beginning of ours is no beginning of theirs.
  const split = request.output.type === 'text' && (request.prefill ?? '') === '' ? splitterOf(taken) : null;
  try {
    yield { type: 'progress', phase: 'prefill', done: 0, total: null, limitMs: context.firstWordMs };
    const stream = opened(() => wire.open(request, controller.signal));
    const isOver = (): boolean => taken.stopReason !== null;
    const limitMs = (): number => (isOver() ? afterStopMs : firstAt === null ? context.firstWordMs : context.stallMs);
    for await (const event of untilOver(watchForStalls(stream, limitMs, context.signal, context), isOver)) {
      events += 1;
      for (const part of told(wire.take(event, taken), split)) {
        firstAt ??= context.now();
        yield part;
      }
      if (taken.text.length + taken.reasoning.length > mostCharacters) taken.error = endless;
      if (taken.error !== null) break;
    }
    if (taken.error === null) wire.close?.(taken);
    if (split !== null) yield* split.end();
    if (events > 0 && isNothing(taken)) taken.error = otherFormat;
    yield* finish(request, taken, { startedAt, firstAt }, context);
  } catch (error) {
    if (split !== null) yield* split.end();
    const usage = usageSoFar(request, taken, taken.text === '' && taken.reasoning === '');
    yield {
      ...endedWith(failureOf(wire, error, context, firstAt === null), startedAt, context.now(), usage),
      ...modelOf(taken),
    };
  } finally {
    context.signal.removeEventListener('abort', abort);
    controller.abort();
  }
}

/** More than any model has room for. */
const mostCharacters = 8_000_000;
const endless: ProviderError = {
  code: 'bad-request',
  message: 'The answer does not end: more than 8 million characters came. What came before is kept.',
  retryable: false,
};

/** After its reason to stop, an answer is whole. Only its counts may still come, and some servers never hang up. */
const afterStopMs = 3_000;

async function* untilOver<Event>(events: AsyncIterable<Event>, isOver: () => boolean): AsyncIterable<Event> {
  try {
    yield* events;
  } catch (error) {
    if (!isOver()) throw error;
  }
}

interface Splitter {
  readonly push: (text: string) => Iterable<StreamPart>;
  readonly end: () => Iterable<StreamPart>;
}

/** Every server may leak a model's thoughts into its text, and a model may write a call into its thoughts. */
function splitterOf(taken: Answer): Splitter {
  const splitter = createThoughtSplit();
  let thoughts = '';
  let hasText = false;
  const partsOf = function* (pieces: readonly AnswerPiece[]): Iterable<StreamPart> {
    for (const piece of pieces) {
      if (piece.type === 'was-thought') {
        hasText = false;
        yield { type: 'text-was-thought' };
      } else if (piece.type === 'text') {
        hasText ||= piece.text.trim() !== '';
        yield { type: 'text-delta', text: piece.text };
      } else {
        thoughts += piece.text;
        yield { type: 'reasoning-delta', text: piece.text };
      }
    }
  };
  return {
    push: (text) => partsOf(splitter.push(text)),
    end: function* () {
      yield* partsOf(splitter.end());
      const call = hasText || taken.calls.length > 0 ? null : callInThoughts(taken.reasoning + thoughts);
      if (call !== null) yield { type: 'text-delta', text: call };
    },
  };
}

function* told(parts: Iterable<StreamPart>, split: Splitter | null): Iterable<StreamPart> {
  for (const part of parts) {
    if (split !== null && part.type === 'text-delta') yield* split.push(part.text);
    else yield part;
  }
}

/** Opens the call as part of the stream, so that a service that never answers counts as silent. */
async function* opened<Event>(open: () => Promise<AsyncIterable<Event>>): AsyncIterable<Event> {
  yield* await open();
}

export function emptyAnswer(): Answer {
  return {
    text: '',
    reasoning: '',
    stopReason: null,
    usage: null,
    error: null,
    model: null,
    evaluatedTokens: null,
    prefillMs: null,
    decodeMs: null,
    calls: [],
  };
}

/** Adds to the text and yields the delta. Yields nothing for an empty piece. */
export function* sayText(taken: Answer, text: string | null | undefined): Iterable<StreamPart> {
  if (text === null || text === undefined || text === '') return;
  taken.text += text;
  yield { type: 'text-delta', text };
}

export function* sayReasoning(taken: Answer, text: string | null | undefined): Iterable<StreamPart> {
  if (text === null || text === undefined || text === '') return;
  taken.reasoning += text;
  yield { type: 'reasoning-delta', text };
}

export function* sayReasoningBlock(part: ReasoningPart): Iterable<StreamPart> {
  yield { type: 'reasoning', part };
}

/** A call with its arguments as they came. Broken JSON gives a null input: the agent repairs it, and records that. */
export function toolCallOf(id: string, name: string, json: string): ToolCallPart {
  try {
    const input: unknown = JSON.parse(json === '' ? '{}' : json);
    return { type: 'tool-call', id, name, input, raw: json };
  } catch {
    return { type: 'tool-call', id, name, input: null, raw: json };
  }
}

function failureOf<Event>(
  wire: Wire<Event>,
  error: unknown,
  context: CallContext,
  isBeforeWords: boolean,
): ProviderError | null {
  if (context.signal.aborted) return null;
  if (error instanceof StalledError) return stalled(error, context, isBeforeWords);
  return wire.errorOf(error) ?? { code: 'cut', message: 'The server closed the connection.', retryable: true };
}

/**
 * A server of one's own that has not said a word still reads the prompt: asked again, it would start over. So it is
 * asked once.
 */
function stalled(error: StalledError, { service }: CallContext, isBeforeWords: boolean): ProviderError {
  if (service?.where !== 'local' || !isBeforeWords || error.isAfterSleep)
    return { code: 'stalled', message: error.message, retryable: true };
  const seconds = Math.round(error.limitMs / 1000);
  const message = `${service.id} sent no word for ${seconds} seconds, so the call was ended. It may still be loading the model or reading the prompt, so it was not asked again. To wait longer: dewpoint settings set providers.${service.id}.firstWordSeconds ${Math.min(3600, seconds * 3)}. A smaller model or prompt begins sooner.`;
  return { code: 'stalled', message, retryable: false };
}

function* finish(
  request: ModelRequest,
  taken: Answer,
  { startedAt, firstAt }: { readonly startedAt: number; readonly firstAt: number | null },
  context: CallContext,
): Iterable<StreamPart> {
  const endedAt = context.now();
  const prefillMs = measure(taken.prefillMs);
  const decodeMs = measure(taken.decodeMs) ?? writingMs(taken, firstAt, endedAt);
  const timings = { queuedMs: 0, prefillMs, decodeMs, totalMs: Math.max(0, endedAt - startedAt) };
  if (context.signal.aborted || taken.error !== null || taken.stopReason === null) {
    // Without a stop reason the answer is incomplete, so none of its calls may run.
    const usage = usageSoFar(request, taken, taken.error === otherFormat);
    const error = context.signal.aborted ? null : (taken.error ?? brokenOff);
    yield { ...endedWith(error, startedAt, context.now(), usage), timings, ...modelOf(taken) };
    return;
  }
  // The last call may be incomplete if the answer hit the length limit. A withheld answer must not be acted on.
  const isWhole = taken.stopReason !== 'length' && taken.stopReason !== 'error';
  const cut = taken.stopReason === 'length' ? taken.calls.at(-1) : undefined;
  if (isWhole) for (const call of taken.calls) yield { type: 'tool-call', call };
  yield {
    type: 'ended',
    stopReason: taken.calls.length > 0 && taken.stopReason === 'stop' ? 'tool-calls' : taken.stopReason,
    usage: countedUsage(taken) ?? estimateUsage(request, taken, false),
    evaluatedTokens: Number.isSafeInteger(measure(taken.evaluatedTokens)) ? taken.evaluatedTokens : null,
    timings,
    error: taken.stopReason === 'error' ? withheld : null,
    ...(cut === undefined ? {} : { cutCall: { tool: cut.name, characters: (cut.raw ?? '').length } }),
    ...modelOf(taken),
  };
}

/** What a server measured. Null for what cannot be: a log with it could not be imported. */
function measure(value: number | null): number | null {
  return value !== null && Number.isFinite(value) && value >= 0 ? value : null;
}

/** Below this, the whole answer came at once: it was written before it was sent. Milliseconds. */
const leastWritingMs = 50;

/** The writing time as the reader of the stream sees it. Null if thinking was hidden, or the answer came at once. */
function writingMs({ usage, reasoning }: Answer, firstAt: number | null, endedAt: number): number | null {
  const isHidden = reasoning === '' && usage !== null && usage.reasoning > 0;
  const passedMs = firstAt === null ? 0 : endedAt - firstAt;
  return passedMs < leastWritingMs || isHidden ? null : passedMs;
}

/** Nothing in this format arrived. Even a stream that breaks off early names its model at its start. */
function isNothing({ text, reasoning, stopReason, usage, error, model, calls }: Answer): boolean {
  const said = text + reasoning + (model ?? '');
  return said === '' && stopReason === null && usage === null && error === null && calls.length === 0;
}

const otherFormat: ProviderError = {
  code: 'bad-request',
  message: 'The answer has another format than this kind of provider uses.',
  retryable: false,
};
const brokenOff: ProviderError = { code: 'cut', message: 'The answer was cut off.', retryable: true };
const withheld: ProviderError = {
  code: 'bad-request',
  message: 'The provider withheld the answer (content filter).',
  retryable: false,
};

function modelOf({ model }: Answer): Pick<StreamEnded, 'model'> {
  return model === null || model === '' ? {} : { model };
}

/** Usage of an answer that broke off: the service's counts so far, but not less than what arrived. */
function usageSoFar(request: ModelRequest, taken: Answer, notTaken: boolean): Usage {
  const estimate = estimateUsage(request, taken, notTaken);
  const usage = countedUsage(taken);
  if (usage === null) return estimate;
  if (taken.stopReason !== null) return usage;
  const output = Math.max(usage.output, estimate.output);
  const reasoning = Math.min(output, Math.max(usage.reasoning, estimate.reasoning));
  return { ...usage, output, reasoning, estimated: true };
}

/** The service's counts. Null if they are negative, not whole numbers, or all zero. */
function countedUsage({ usage }: Answer): Usage | null {
  if (usage === null) return null;
  const { freshInput, cacheRead, cacheWrite, output, reasoning } = usage;
  const counts = [freshInput, cacheRead, cacheWrite, output, reasoning];
  if (!counts.every((count) => Number.isSafeInteger(count) && count >= 0)) return null;
  if (freshInput + cacheRead + cacheWrite + output === 0) return null;
  return reasoning <= output ? usage : { ...usage, reasoning: output };
}

/** Estimates usage for a service that sent no counts. The input is 0 for a call that the service did not accept. */
function estimateUsage(request: ModelRequest, taken: Answer, notTaken: boolean): Usage {
  const prompt = request.messages.reduce((sum, message) => sum + promptTokens(message, request), 0);
  const tools = request.tools.length === 0 ? 0 : estimateTokens(JSON.stringify(request.tools));
  return {
    freshInput: notTaken ? 0 : prompt + tools,
    cacheRead: 0,
    cacheWrite: 0,
    output: estimateTokens(taken.text + taken.reasoning + taken.calls.map((call) => call.raw ?? '').join('')),
    reasoning: estimateTokens(taken.reasoning),
    estimated: true,
  };
}

function promptTokens(
  message: Message,
  { model, imageTokens: most }: Pick<ModelRequest, 'model' | 'imageTokens'>,
): number {
  return message.parts.reduce((sum, part) => {
    if (part.type === 'image') return sum + imageTokens(part, model, most);
    if (part.type === 'tool-call') return sum + estimateTokens(part.name + JSON.stringify(part.input ?? {}));
    return sum + estimateTokens(part.text);
  }, 0);
}
