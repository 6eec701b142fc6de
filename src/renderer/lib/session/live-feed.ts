import type { SessionEvent, Transient } from '@shared/events/events.ts';

/** What goes on right now and is in no event yet. What a call said stays until the next one begins or the turn ends. */
export interface LiveFeed {
  readonly calls: Readonly<Record<string, LiveCall>>;
  /** The end of a running tool's output, by its id. */
  readonly outputs: Readonly<Record<string, string>>;
}

export interface LiveCall {
  readonly text: string;
  readonly reasoning: string;
  /** Pieces of text so far: about one a token. */
  readonly pieces: number;
  readonly phase: 'waiting' | 'loading' | 'prefill' | 'decode';
  readonly done: number;
  readonly total: number | null;
}

export const emptyFeed: LiveFeed = { calls: {}, outputs: {} };

const emptyCall: LiveCall = { text: '', reasoning: '', pieces: 0, phase: 'waiting', done: 0, total: null };
/** An answer is read from its beginning; of an output the end matters. */
const kept = { text: 200_000, output: 16_000 } as const;

export function foldTransient(feed: LiveFeed, push: Transient): LiveFeed {
  if (push.type === 'output-chunk') {
    const output = tail((feed.outputs[push.toolCallId] ?? '') + push.text, kept.output);
    return { ...feed, outputs: { ...feed.outputs, [push.toolCallId]: output } };
  }
  const call = feed.calls[push.callId] ?? emptyCall;
  return { ...feed, calls: { ...feed.calls, [push.callId]: foldCall(call, push) } };
}

function foldCall(call: LiveCall, push: Exclude<Transient, { type: 'output-chunk' }>): LiveCall {
  switch (push.type) {
    case 'text-delta':
      return {
        ...call,
        phase: 'decode',
        pieces: call.pieces + (push.pieces ?? 1),
        text: tail(call.text + push.text, kept.text),
      };
    case 'reasoning-delta':
      return {
        ...call,
        phase: 'decode',
        pieces: call.pieces + (push.pieces ?? 1),
        reasoning: tail(call.reasoning + push.text, kept.text),
      };
    case 'call-progress':
      return { ...call, phase: push.phase, done: push.done, total: push.total };
    default:
      return push satisfies never;
  }
}

/** What an event makes out of date goes; the end of a turn takes everything. */
export function dropSettledParts(feed: LiveFeed, event: SessionEvent): LiveFeed {
  if (event.type === 'turn-ended') return emptyFeed;
  if (event.type === 'model-call-started' && Object.keys(feed.calls).length > 0) return { ...feed, calls: {} };
  if (event.type === 'tool-ended' && event.toolCallId in feed.outputs) {
    const { [event.toolCallId]: _ended, ...outputs } = feed.outputs;
    return { ...feed, outputs };
  }
  return feed;
}

function tail(text: string, characters: number): string {
  return text.length <= characters ? text : text.slice(-characters).replace(/^[\udc00-\udfff]/u, '');
}
