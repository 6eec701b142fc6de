import { runReplayTurn } from '../agent/replay-turn.ts';
import type { ReplayParts } from '../agent/replay-turn.ts';
import type { CoreApi } from '../api/core-api.ts';
import { abortable } from '../lib/abort.ts';
import type { Blobs } from '../sessions/blobs.ts';
import { replaySession } from '../sessions/replay.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import { busySession } from './sessions.ts';
import type { CoreSessions } from './sessions.ts';

/** Plays a session again, with the tools and recipes of now. */
export function replayCommand({
  sessions,
  store,
  blobs,
  ...engine
}: ReplayParts & {
  readonly sessions: CoreSessions;
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
