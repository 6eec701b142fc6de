import { join } from 'node:path';
import type { SearchAnswer } from '@shared/contract.ts';
import type { CoreApi } from './api/core-api.ts';
import type { Log } from './lib/log.ts';
import { createSearchIndex } from './sessions/search-index.ts';
import type { SessionStore } from './sessions/session-store.ts';

/** What is done with sessions as a whole: looking through them all, and putting one somewhere else. */
export interface CoreLibrary {
  readonly commands: Pick<CoreApi, 'searchSessions'>;
  readonly dispose: () => Promise<void>;
}

export interface CoreLibraryOptions {
  readonly home: string;
  readonly store: SessionStore;
  readonly diagnostics: Log;
}

/** A search answers with what it has after this long; it goes on when it is asked again. */
const searchBudgetMs = 700;

export function createCoreLibrary({ home, store, diagnostics }: CoreLibraryOptions): CoreLibrary {
  const index = createSearchIndex({
    path: join(home, 'search.sqlite'),
    logs: () => store.logFiles(),
    diagnostics,
    budgetMs: searchBudgetMs,
    now: () => performance.now(),
  });
  const searchSessions: CoreApi['searchSessions'] = async (text, limit, signal): Promise<SearchAnswer> => {
    const { hits, isComplete } = await index.search(text, limit, signal);
    const summaries = new Map((await store.list()).map((summary) => [summary.id, summary]));
    const named = hits.map((hit) => {
      const { title, projectPath } = summaries.get(hit.sessionId) ?? { title: '', projectPath: null };
      return { ...hit, title, projectPath };
    });
    return { hits: named, isComplete };
  };
  return { commands: { searchSessions }, dispose: () => index.close() };
}
