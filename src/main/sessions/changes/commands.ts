import type { Handlers } from '../../server/handlers.ts';
import { readShownFile } from './read-shown-file.ts';
import { showChanges, takeChanges, undoChanges } from './undo-and-take.ts';
import type { OpenSessions } from '../open/open-sessions.ts';
import { busySession } from '../open/refused-requests.ts';
import type { LiveJournal } from '../journal/live-journal.ts';

/** Handlers that show, take and undo a session's changes. */
export function createChangeCommands(sessions: OpenSessions): Handlers['changes'] {
  const atRest = (sessionId: string): Promise<LiveJournal> => {
    if (sessions.runner(sessionId)?.isRunning() === true) throw busySession();
    return sessions.journal(sessionId);
  };
  return {
    show: async ({ input }) => showChanges(await sessions.journal(input.sessionId), input.paths),
    take: async ({ input }) => takeChanges(await atRest(input.sessionId), input.paths, input.hunks),
    undo: async ({ input }) => undoChanges(await atRest(input.sessionId), input.paths, input.hunks),
    file: async ({ input }) => readShownFile(await sessions.journal(input.sessionId), input.source),
    untracked: async ({ input }) => (await sessions.journal(input.sessionId)).state().untracked,
  };
}
