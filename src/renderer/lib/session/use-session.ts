import { useEffect, useState } from 'react';
import { reduceMoney } from '@shared/money/session-money.ts';
import type { MoneyState } from '@shared/money/session-money.ts';
import type { SessionPart } from '@shared/session/session-part.ts';
import { reduceSession } from '@shared/session/reducers/reduce-session.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import type { CoreClient } from '../connection/core-client.ts';
import { failureText } from '../connection/failure-text.ts';
import { emptyFeed, foldTransient, dropSettledParts } from './live-feed.ts';
import type { LiveFeed } from './live-feed.ts';
import type { History } from './session-history.ts';
import { keepLeavingTurns, firstLiveSeq, noHistory, addHistoryPart } from './session-history.ts';
import type { SessionPush } from '@shared/contract/sessions-contract.ts';

/** The current state of a session: the core's folded state, with later events folded in. */
export interface SessionView {
  readonly state: SessionState;
  readonly money: MoneyState;
  readonly feed: LiveFeed;
  readonly history: History;
}

/** Turns before an event, or from the turn on that contains an event. */
export type HistoryPlace = { readonly before: number } | { readonly from: number };

/**
 * Loads turns that the state no longer has into the history. Null: there are none. Rejects if the core cannot be
 * reached.
 */
export type LookUp = (place: HistoryPlace) => Promise<SessionPart | null>;

export type SessionLoad =
  | { readonly type: 'loading' }
  | { readonly type: 'ready'; readonly view: SessionView; readonly lookUp: LookUp }
  | { readonly type: 'failed'; readonly text: string };

const retryMs = 1_000;
/** Streamed words are rendered in about every second frame. The other frames are left for typing. */
const streamedMs = 24;

/** Follows a session while the component is mounted; it must show one session only. Reconnects a broken stream. */
export function useSession(client: CoreClient, sessionId: string): SessionLoad {
  const [load, setLoad] = useState<SessionLoad>({ type: 'loading' });
  useEffect(() => {
    const stop = new AbortController();
    const following: Following = {
      client,
      sessionId,
      show: setLoad,
      view: null,
      signal: stop.signal,
      lookUp: (place) => lookUp(following, place),
    };
    void follow(following);
    return () => stop.abort();
  }, [client, sessionId]);
  return load;
}

interface Following {
  readonly client: CoreClient;
  readonly sessionId: string;
  readonly show: (load: SessionLoad) => void;
  /** The latest view, rendered or not. */
  view: SessionView | null;
  /** The same function for as long as it follows. */
  readonly lookUp: LookUp;
  readonly signal: AbortSignal;
}

async function follow(following: Following): Promise<void> {
  const { client, sessionId, show, signal } = following;
  while (!signal.aborted) {
    try {
      const folded = await client.sessions.show({ sessionId }, { signal });
      const before = following.view;
      const history = before === null ? noHistory : keepLeavingTurns(before.history, before.state, folded.state);
      following.view = { ...folded, feed: emptyFeed, history };
      draw(following);
      await followFrom(folded.state.seq, following);
    } catch (error) {
      if (signal.aborted) return;
      // What is on the screen stays there while the stream reconnects.
      if (following.view === null) {
        show({ type: 'failed', text: failureText(error) });
        return;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

function draw({ view, show, lookUp: ask, signal }: Following): void {
  if (view !== null && !signal.aborted) show({ type: 'ready', view, lookUp: ask });
}

async function lookUp(following: Following, place: HistoryPlace): Promise<SessionPart | null> {
  const { client, sessionId, signal } = following;
  const part = await client.sessions.history({ sessionId, place }, { signal });
  const { view } = following;
  if (view === null) return null;
  const liveSeq = firstLiveSeq(view.state) ?? view.state.seq;
  const isStart = part === null && 'before' in place;
  const history = part === null ? view.history : addHistoryPart(view.history, part, liveSeq);
  following.view = { ...view, history: isStart ? { ...history, startSeq: place.before } : history };
  draw(following);
  return part;
}

async function followFrom(seq: number, following: Following): Promise<void> {
  const { client, sessionId, signal } = following;
  let frame: number | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let drawnAt = 0;
  const drawNow = (): void => {
    frame = null;
    drawnAt = performance.now();
    draw(following);
  };
  const drawNext = (): void => {
    timer = null;
    frame ??= window.requestAnimationFrame(drawNow);
  };
  const pushes = await client.sessions.events({ sessionId, fromSeq: seq + 1 }, { signal });
  try {
    for await (const push of pushes) {
      if (following.view !== null) following.view = foldPush(following.view, push);
      if (signal.aborted) continue;
      // Renders at most once per frame, however much arrives in between.
      if (push.type === 'transients') timer ??= setTimeout(drawNext, drawnAt + streamedMs - performance.now());
      else drawNext();
    }
  } finally {
    if (timer !== null) clearTimeout(timer);
    if (frame !== null) window.cancelAnimationFrame(frame);
    draw(following);
  }
}

export function foldPush(view: SessionView, push: SessionPush): SessionView {
  switch (push.type) {
    case 'events': {
      let { state, money, feed } = view;
      for (const event of push.events) {
        if (event.seq <= state.seq) continue;
        state = reduceSession(state, event);
        money = reduceMoney(money, event);
        feed = dropSettledParts(feed, event);
      }
      return { state, money, feed, history: keepLeavingTurns(view.history, view.state, state) };
    }
    case 'transients': {
      const at = performance.now();
      return { ...view, feed: push.items.reduce((feed, item) => foldTransient(feed, item, at), view.feed) };
    }
    case 'caught-up':
      return view;
    default:
      return push satisfies never;
  }
}
