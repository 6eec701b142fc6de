import { useEffect, useState } from 'react';
import type { SessionPush } from '@shared/contract.ts';
import { reduceMoney } from '@shared/session-money.ts';
import type { MoneyState } from '@shared/session-money.ts';
import { reduceSession } from '@shared/session-state.ts';
import type { SessionState } from '@shared/session-state.ts';
import type { CoreClient } from './core-client.ts';
import { failureText } from './failure-text.ts';
import { emptyFeed, foldTransient, settle } from './live-feed.ts';
import type { LiveFeed } from './live-feed.ts';

/** A session as it stands: the state that the core folded, and folded on with each event that comes. */
export interface SessionView {
  readonly state: SessionState;
  readonly money: MoneyState;
  readonly feed: LiveFeed;
}

export type SessionLoad =
  | { readonly type: 'loading' }
  | { readonly type: 'ready'; readonly view: SessionView }
  | { readonly type: 'failed'; readonly text: string };

const retryMs = 1_000;

/** Follows a session for as long as it is shown; a component shows one session in its life. A stream that breaks off is taken up again. */
export function useSession(client: CoreClient, sessionId: string): SessionLoad {
  const [load, setLoad] = useState<SessionLoad>({ type: 'loading' });
  useEffect(() => {
    const stop = new AbortController();
    void follow({ client, sessionId, show: setLoad, signal: stop.signal });
    return () => stop.abort();
  }, [client, sessionId]);
  return load;
}

interface Following {
  readonly client: CoreClient;
  readonly sessionId: string;
  readonly show: (load: SessionLoad) => void;
  readonly signal: AbortSignal;
}

async function follow(following: Following): Promise<void> {
  const { client, sessionId, show, signal } = following;
  let hasShown = false;
  while (!signal.aborted) {
    try {
      const folded = await client.sessions.show({ sessionId }, { signal });
      const view = { ...folded, feed: emptyFeed };
      show({ type: 'ready', view });
      hasShown = true;
      await followFrom(view, following);
    } catch (error) {
      if (signal.aborted) return;
      // What is on the screen stays there while the stream is taken up again.
      if (!hasShown) {
        show({ type: 'failed', text: failureText(error) });
        return;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

async function followFrom(start: SessionView, { client, sessionId, show, signal }: Following): Promise<void> {
  let view = start;
  let frame: number | null = null;
  const draw = (): void => {
    frame = null;
    show({ type: 'ready', view });
  };
  const pushes = await client.sessions.events({ sessionId, fromSeq: start.state.seq + 1 }, { signal });
  try {
    for await (const push of pushes) {
      view = foldPush(view, push);
      // One drawing a frame, however much arrives between two.
      if (!signal.aborted) frame ??= window.requestAnimationFrame(draw);
    }
  } finally {
    if (frame !== null) window.cancelAnimationFrame(frame);
    if (!signal.aborted) draw();
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
        feed = settle(feed, event);
      }
      return { state, money, feed };
    }
    case 'transients':
      return { ...view, feed: push.items.reduce(foldTransient, view.feed) };
    case 'caught-up':
      return view;
    default:
      return push satisfies never;
  }
}
