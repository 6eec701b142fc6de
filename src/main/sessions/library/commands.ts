import { access, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@shared/errors.ts';
import { makeFolder } from '../../lib/files/json-file.ts';
import type { Handlers } from '../../server/handlers.ts';
import type { SearchIndex } from '../search/session-search-index.ts';
import type { SessionStore } from '../store/session-store.ts';
import { createBranchFinder } from './session-branches.ts';
import { exportSession, forkSession, importSession } from './session-library.ts';
import type { SessionLibraryOptions } from './session-library.ts';
import { organizeSessions } from './organize-sessions.ts';
import { toSessionSummary } from './session-list-entry.ts';

export interface LibraryCommandsOptions extends SessionLibraryOptions {
  readonly index: SearchIndex;
}

/** Handlers for sessions as a whole: search, copy and move them. */
export function createLibraryCommands(options: LibraryCommandsOptions) {
  const { home, store, bin, sessions, index } = options;
  const branches = createBranchFinder(store);
  return {
    search: async ({ input, signal }) => {
      const { hits, isComplete } = await index.search(input.text, input.limit, signal);
      const summaries = new Map((await store.list()).map((summary) => [summary.id, summary]));
      const named = hits.map((hit) => {
        const { title, projectPath } = summaries.get(hit.sessionId) ?? { title: '', projectPath: null };
        return { ...hit, title, projectPath };
      });
      return { hits: named, isComplete };
    },
    rename: async ({ input: { sessionId, title } }) => {
      await (await sessions.journal(sessionId)).append({ type: 'session-renamed', title });
    },
    organize: ({ input, signal }) => organizeSessions(sessions, input, signal),
    fork: ({ input, signal }) => forkSession(options, input.sessionId, input.at ?? null, signal),
    branches: ({ input, signal }) => branches(input.sessionId, signal),
    export: ({ input, signal }) => exportSession(options, input.sessionId, input.path, signal),
    import: ({ input, signal }) => importSession(options, input.path, signal),
    delete: async ({ input: { sessionId } }) => {
      await sessions.close(sessionId);
      await move(store.folderOf(sessionId), bin.folderOf(sessionId));
    },
    binned: async () => (await bin.list()).map((summary) => toSessionSummary(summary, 'idle')),
    restore: async ({ input }) => {
      const sessionId = await inBin(bin, input.id);
      await move(bin.folderOf(sessionId), store.folderOf(sessionId));
      return { sessionId };
    },
    purge: async ({ input }) => {
      const sessionId = await inBin(bin, input.id);
      await rm(bin.folderOf(sessionId), { recursive: true, force: true });
      // Only the workspace that was made for it. A project folder is elsewhere.
      await rm(join(home, 'workspaces', sessionId), { recursive: true, force: true });
    },
  } satisfies Partial<Handlers['sessions']>;
}

async function inBin(bin: Pick<SessionStore, 'find'>, text: string): Promise<string> {
  return bin.find(text).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'not-found') throw error;
    throw new AppError('not-found', `The session "${text}" is not in the bin.`, {
      hint: 'Run `dewpoint sessions bin` to see the sessions in the bin.',
    });
  });
}

/** If a session of that name is in both places, nothing is merged or replaced. */
async function move(from: string, to: string): Promise<void> {
  const isThere = await access(from).then(
    () => true,
    () => false,
  );
  if (!isThere) throw new AppError('not-found', 'The session was not found.', { hint: 'It may already be moved.' });
  await makeFolder(join(to, '..'));
  await rename(from, to);
}
