import { runReplayTurn } from '../../agent/replay/replay-turn.ts';
import type { ReplayParts } from '../../agent/replay/replay-turn.ts';
import type { CoreApi } from '../../server/core-api.ts';
import { abortable } from '../../lib/async/abort.ts';
import type { Blobs } from '../blobs/blob-store.ts';
import { replaySession } from '../replay/replay-session.ts';
import type { SessionStore } from '../store/session-store.ts';
import { busySession } from '../open/open-sessions.ts';
import type { OpenSessions } from '../open/open-sessions.ts';

/** Plays a session again, with the tools and recipes of now. */
export function createReplayCommand({
  sessions,
  store,
  blobs,
  ...engine
}: ReplayParts & {
  readonly sessions: OpenSessions;
  readonly store: SessionStore;
  readonly blobs: Blobs;
}): CoreApi['replay'] {
  return async (sessionId, signal) => {
    if (sessions.runner(sessionId)?.isRunning() === true) throw busySession();
    const view = await store.view(sessionId, 'whole');
    return abortable(
      replaySession(view, blobs, (turn) => runReplayTurn(turn, engine)),
      signal,
    );
  };
}
