import type { SessionNews, WatchedSession } from '@shared/session/session-news.ts';
import { isNewsWanted, sessionNews } from '@shared/session/session-news.ts';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';

/** What the finder asks a core for. */
export interface NewsSource {
  readonly sessions: () => Promise<readonly SessionSummary[]>;
  /** The setting `notify`. */
  readonly notify: () => Promise<unknown>;
}

/**
 * Each call looks at the sessions and returns the news for the user. Each change is news only once, even with a slow
 * core: a call during another one returns nothing, and what a failed call missed is returned by the next.
 */
export function createNewsFinder(): (source: NewsSource) => Promise<readonly SessionNews[]> {
  let watched: ReadonlyMap<string, WatchedSession> = new Map();
  let isLooking = false;
  return async ({ sessions, notify }) => {
    if (isLooking) return [];
    isLooking = true;
    try {
      const round = sessionNews(watched, await sessions(), performance.now());
      const wanted = round.news.length === 0 ? null : await notify();
      ({ watched } = round);
      return round.news.filter((one) => isNewsWanted(one, wanted));
    } finally {
      isLooking = false;
    }
  };
}
