import type { SessionSummary } from '@shared/contract/sessions-contract.ts';

/** What a person who looks elsewhere should hear of. */
export interface SessionNews {
  readonly sessionId: string;
  readonly title: string;
  readonly what: 'ended' | 'waits';
}

export interface WatchedSession {
  readonly status: SessionSummary['status'];
  /** When it was first seen at work. */
  readonly since: number;
}

export interface NewsRound {
  readonly watched: ReadonlyMap<string, WatchedSession>;
  readonly news: readonly SessionNews[];
}

/** A task that was shorter than this is over before anybody has gone away. */
const longTaskMs = 20_000;

/** Whether a person wants to hear of it, by the setting `notify`. */
export function isNewsWanted({ what }: SessionNews, notify: unknown): boolean {
  return notify === 'all' || (notify === 'waits' && what === 'waits');
}

/** Compares two looks at the list of sessions. Each change is news once. */
export function sessionNews(
  before: ReadonlyMap<string, WatchedSession>,
  sessions: readonly SessionSummary[],
  now: number,
): NewsRound {
  const watched = new Map<string, WatchedSession>();
  const news: SessionNews[] = [];
  // Of an agent you hear by the session that started it.
  for (const { sessionId, title, status } of sessions.filter(({ startedBy }) => startedBy === undefined)) {
    const last = before.get(sessionId);
    const wasAtWork = last !== undefined && last.status !== 'idle';
    const since = wasAtWork ? last.since : now;
    if (status === 'waiting' && last?.status !== 'waiting') news.push({ sessionId, title, what: 'waits' });
    if (status === 'idle' && wasAtWork && now - since >= longTaskMs) news.push({ sessionId, title, what: 'ended' });
    if (status !== 'idle') watched.set(sessionId, { status, since });
  }
  return { watched, news };
}
