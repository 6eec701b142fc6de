import type { CoreApi } from '../../server/core-api.ts';
import { showChanges, takeChanges, undoChanges } from './undo-and-take.ts';
import { busySession, type OpenSessions } from '../open/open-sessions.ts';

/** What a session changed, for whoever shows it, takes it or undoes it. */
export function createChangeCommands(
  sessions: OpenSessions,
): Pick<CoreApi, 'showChanges' | 'takeChanges' | 'undoChanges' | 'untracked'> {
  const atRest = (sessionId: string): void => {
    if (sessions.runner(sessionId)?.isRunning() === true) throw busySession();
  };
  return {
    untracked: async (sessionId) => (await sessions.journal(sessionId)).state().untracked,
    showChanges: async (sessionId, paths) => showChanges(await sessions.journal(sessionId), paths),
    takeChanges: async (sessionId, paths) => {
      atRest(sessionId);
      return takeChanges(await sessions.journal(sessionId), paths);
    },
    undoChanges: async (sessionId, paths) => {
      atRest(sessionId);
      return undoChanges(await sessions.journal(sessionId), paths);
    },
  };
}
