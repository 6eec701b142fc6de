import type { SessionNews, WatchedSession } from '@shared/session/session-news.ts';
import { isNewsWanted, sessionNews } from '@shared/session/session-news.ts';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';

/** What a look asks a core. */
export interface NewsSource {
  readonly sessions: () => Promise<readonly SessionSummary[]>;
  /** The setting `notify`. */
  readonly notify: () => Promise<unknown>;
}

/**
 * Looks at the sessions again and again; each answers what a person should hear of. A change is news once, however
 * slow a core is: while one look is under way another sees nothing, and what a look failed to say the next one says.
 */
export function createNewsFinder(): (source: NewsSource) => Promise<readonly SessionNews[]> {
  let watched: ReadonlyMap<string, WatchedSession> = new Map();
  let isLooking = false;
  return async ({ sessions, notify }) => {
    if (isLooking) return [];
    isLooking = true;
    try {
      const round = sessionNews(watched, await sessions(), Date.now());
      const wanted = round.news.length === 0 ? null : await notify();
      ({ watched } = round);
      return round.news.filter((one) => isNewsWanted(one, wanted));
    } finally {
      isLooking = false;
    }
  };
}
