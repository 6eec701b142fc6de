import { replaceEqualDeep } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import type { CoreClient } from '../connection/core-client.ts';
import { failureText } from '../connection/failure-text.ts';
import { mayNotify } from '../notices/may-notify.ts';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';

export type SessionsLoad =
  | { readonly type: 'loading' }
  | { readonly type: 'ready'; readonly sessions: readonly SessionSummary[]; readonly readAt: number }
  | { readonly type: 'failed'; readonly text: string };

/** Other processes add sessions to the same list, so it is loaded again from time to time. */
const refreshMs = 4_000;

export function useSessions(client: CoreClient): { readonly load: SessionsLoad; readonly refresh: () => void } {
  const [load, setLoad] = useState<SessionsLoad>({ type: 'loading' });
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    const read = async (): Promise<void> => {
      try {
        const sessions = await client.sessions.list(undefined, { signal: stop.signal });
        if (stop.signal.aborted) return;
        const sorted = [...sessions].sort(newestFirst);
        // Unchanged sessions stay the same objects, so they do not render again.
        setLoad((last) => ({
          type: 'ready',
          sessions: last.type === 'ready' ? replaceEqualDeep(last.sessions, sorted) : sorted,
          readAt: Date.now(),
        }));
      } catch (error) {
        if (stop.signal.aborted) return;
        // A loaded list stays on the screen. The next load may succeed.
        setLoad((last) => (last.type === 'ready' ? last : { type: 'failed', text: failureText(error) }));
      }
    };
    void read();
    const timer = setInterval(() => void (isOutOfSight() || read()), refreshMs);
    return () => {
      clearInterval(timer);
      stop.abort();
    };
  }, [client, asked]);
  return { load, refresh: useCallback(() => setAsked((count) => count + 1), []) };
}

/** A page that may show notifications goes on loading while it is hidden. */
function isOutOfSight(): boolean {
  return document.hidden && !mayNotify();
}

function newestFirst(left: SessionSummary, right: SessionSummary): number {
  return right.updatedAt - left.updatedAt;
}
