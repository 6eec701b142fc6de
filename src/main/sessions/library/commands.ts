import { AppError } from '@shared/errors.ts';
import type { Handlers } from '../../server/handlers.ts';
import { asTalks } from '@shared/session/session-filter.ts';
import type { SearchHit } from '@shared/contract/search-answer.ts';
import type { SearchIndex } from '../search/session-search-index.ts';
import type { SessionStore } from '../store/session-store.ts';
import { branchesOfTalks, createBranchFinder } from './session-branches.ts';
import { downloadSession, exportSession, forkSession, importSession } from './session-library.ts';
import type { SessionLibraryOptions } from './session-library.ts';
import { previewMoves, moveSessions, type MoveOptions } from './move-sessions.ts';
import { moveTalk } from './move-talks.ts';
import { organizeSessions } from './organize-sessions.ts';
import { toSessionSummary } from './session-list-entry.ts';

export interface LibraryCommandsOptions extends SessionLibraryOptions, Pick<MoveOptions, 'book' | 'settings'> {
  readonly index: SearchIndex;
}

/** Handlers for sessions as a whole: search, copy and move them. */
export function createLibraryCommands(options: LibraryCommandsOptions) {
  const { store, bin, sessions, index } = options;
  const branches = createBranchFinder(store);
  return {
    search: async ({ input, signal }) => {
      const { hits, isComplete } = await index.search(input.text, input.limit, signal);
      const summaries = new Map((await store.list()).map((summary) => [summary.id, summary]));
      const named = once(hits, summaries).map((hit) => {
        const { title, projectPath } = summaries.get(hit.sessionId) ?? { title: '', projectPath: null };
        return { ...hit, title, projectPath };
      });
      return { hits: named, isComplete };
    },
    rename: async ({ input: { sessionId, title } }) => {
      for (const id of await branchesOfTalks(store, [sessionId]))
        await (await sessions.journal(id)).append({ type: 'session-renamed', title });
    },
    organize: async ({ input, signal }) => {
      // Each branch is looked at, and works in its folder, by itself. All else is about the talk.
      const isOfOne = input.isSeen === true || input.savesCalls !== undefined;
      const sessionIds = isOfOne ? input.sessionIds : await branchesOfTalks(store, input.sessionIds);
      const { done, refused } = await organizeSessions(sessions, { ...input, sessionIds }, signal);
      return { done: done.filter((id) => input.sessionIds.includes(id)), refused };
    },
    fork: ({ input, signal }) => forkSession(options, input, signal),
    // All branches of a talk move together.
    move: async ({ input, signal }) => {
      const sessionIds = await branchesOfTalks(store, input.sessionIds);
      const { done, refused } = await moveSessions(options, { ...input, sessionIds }, signal);
      return { done: done.filter((id) => input.sessionIds.includes(id)), refused };
    },
    movePreview: ({ input, signal }) => previewMoves(options, input, signal),
    branches: ({ input, signal }) => branches(input.sessionId, signal),
    export: ({ input, signal }) => exportSession(options, input.sessionId, input.path, signal),
    download: ({ input, signal }) => downloadSession(options, input, signal),
    import: ({ input, signal }) => importSession(options, input.path, signal),
    delete: async ({ input: { sessionId } }) => {
      const ids = await branchesOfTalks(store, [sessionId]);
      for (const id of ids) await sessions.close(id);
      await moveTalk(options, { to: 'bin', ids });
    },
    binned: async () => {
      const { records } = options.settings.current().projects;
      return asTalks((await bin.list()).map((summary) => toSessionSummary(summary, 'idle', records)));
    },
    restore: async ({ input }) => {
      const sessionId = await inBin(bin, input.id);
      await moveTalk(options, { to: 'store', ids: await branchesOfTalks(bin, [sessionId]) });
      return { sessionId };
    },
    purge: async ({ input }) => {
      const sessionId = await inBin(bin, input.id);
      await moveTalk(options, { to: 'gone', ids: await branchesOfTalks(bin, [sessionId]) });
    },
  } satisfies Partial<Handlers['sessions']>;
}

/** Branches have the same beginning, and what was found there is one find. */
function once<Hit extends Pick<SearchHit, 'sessionId' | 'ref' | 'kind' | 'seq'>>(
  hits: readonly Hit[],
  summaries: ReadonlyMap<string, { readonly branchOf: string | null }>,
): readonly Hit[] {
  const seen = new Set<string>();
  return hits.filter(({ sessionId, ref, kind, seq }) => {
    const talk = summaries.get(sessionId)?.branchOf ?? sessionId;
    const place = [talk, kind, ref ?? '', kind === 'title' ? 0 : seq].join(' ');
    return !seen.has(place) && seen.add(place);
  });
}

async function inBin(bin: Pick<SessionStore, 'find'>, text: string): Promise<string> {
  return bin.find(text).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'not-found') throw error;
    throw new AppError('not-found', `The session "${text}" is not in the bin.`, {
      hint: 'Run `dewpoint sessions bin` to see the sessions in the bin.',
    });
  });
}
