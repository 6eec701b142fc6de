import type { SessionEvent, Transient } from '@shared/events/events.ts';

/**
 * What happens right now and is in no event yet. The words of a call stay until the next call begins or the turn ends.
 */
export interface LiveFeed {
  readonly calls: Readonly<Record<string, LiveCall>>;
  /** The end of a running tool's output, by its id. */
  readonly outputs: Readonly<Record<string, string>>;
}

export interface LiveCall {
  readonly text: string;
  readonly reasoning: string;
  /** The number of pieces of text so far, about one for each token. */
  readonly pieces: number;
  readonly phase: 'waiting' | 'loading' | 'prefill' | 'decode';
  readonly done: number;
  readonly total: number | null;
  /** How long the first word may take, in milliseconds; null when unknown. */
  readonly limitMs: number | null;
  /** Milliseconds until its phase ends; null when unknown. */
  readonly leftMs: number | null;
  /** When its phase was first reported, and how far it was then. */
  readonly since: { readonly at: number; readonly done: number } | null;
}

export const emptyFeed: LiveFeed = { calls: {}, outputs: {} };

const emptyCall: LiveCall = {
  text: '',
  reasoning: '',
  pieces: 0,
  phase: 'waiting',
  done: 0,
  total: null,
  limitMs: null,
  leftMs: null,
  since: null,
};
/** A remaining time is shown only after a while, and only if it is long enough. */
const leastMs = { gone: 2_000, left: 10_000 } as const;
/** Keeps the beginning of an answer and the end of an output. */
const kept = { text: 200_000, output: 16_000 } as const;

/** `at`: the time in milliseconds of a clock that does not jump. */
export function foldTransient(feed: LiveFeed, push: Transient, at: number): LiveFeed {
  if (push.type === 'output-chunk') {
    const output = tail((feed.outputs[push.toolCallId] ?? '') + push.text, kept.output);
    return { ...feed, outputs: { ...feed.outputs, [push.toolCallId]: output } };
  }
  const call = feed.calls[push.callId] ?? emptyCall;
  return { ...feed, calls: { ...feed.calls, [push.callId]: foldCall(call, push, at) } };
}

function foldCall(call: LiveCall, push: Exclude<Transient, { type: 'output-chunk' }>, at: number): LiveCall {
  switch (push.type) {
    case 'text-delta':
      return {
        ...writing(call, at),
        pieces: call.pieces + (push.pieces ?? 1),
        text: ending(call.text + push.text),
      };
    case 'reasoning-delta':
      return {
        ...writing(call, at),
        pieces: call.pieces + (push.pieces ?? 1),
        reasoning: ending(call.reasoning + push.text),
      };
    case 'call-progress': {
      const { phase, done, total, limitMs = call.limitMs } = push;
      const since = call.since === null || call.phase !== phase ? { at, done } : call.since;
      return { ...call, phase, done, total, limitMs, since, leftMs: timeLeft({ done, total, since }, at) };
    }
    default:
      return push satisfies never;
  }
}

/** Nobody knows how much will be written. `since` counts pieces here. */
function writing(call: LiveCall, at: number): LiveCall {
  const isBegun = call.phase === 'decode' && call.since !== null;
  return { ...call, phase: 'decode', leftMs: null, since: isBegun ? call.since : { at, done: call.pieces } };
}

/** Estimated from the speed so far. */
function timeLeft({ done, total, since }: Pick<LiveCall, 'done' | 'total' | 'since'>, at: number): number | null {
  if (since === null || total === null || done <= since.done || at - since.at < leastMs.gone) return null;
  const left = ((total - done) * (at - since.at)) / (done - since.done);
  return left < leastMs.left ? null : left;
}

/** Removes what an event makes obsolete. The end of a turn removes everything. */
export function dropSettledParts(feed: LiveFeed, event: SessionEvent): LiveFeed {
  if (event.type === 'turn-ended') return emptyFeed;
  if (event.type === 'model-call-started' && Object.keys(feed.calls).length > 0) return { ...feed, calls: {} };
  if (event.type === 'tool-ended' && event.toolCallId in feed.outputs) {
    const { [event.toolCallId]: _ended, ...outputs } = feed.outputs;
    return { ...feed, outputs };
  }
  return feed;
}

/** Cuts rarely, because cutting with every token would copy the whole text each time. */
function ending(text: string): string {
  return text.length > 2 * kept.text ? tail(text, kept.text) : text;
}

function tail(text: string, characters: number): string {
  return text.length <= characters ? text : text.slice(-characters).replace(/^[\udc00-\udfff]/u, '');
}
