import type { SessionSummary } from '@shared/contract/sessions-contract.ts';

/** News for a user who is looking elsewhere. */
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

/** A shorter task is over before the user has looked away. */
const longTaskMs = 20_000;

/** Whether the user wants to hear about it, according to the setting `notify`. */
export function isNewsWanted({ what }: SessionNews, notify: unknown): boolean {
  return notify === 'all' || (notify === 'waits' && what === 'waits');
}

/** Compares two states of the list of sessions. Each change is reported once. */
export function sessionNews(
  before: ReadonlyMap<string, WatchedSession>,
  sessions: readonly SessionSummary[],
  now: number,
): NewsRound {
  const watched = new Map<string, WatchedSession>();
  const news: SessionNews[] = [];
  // The user hears about a child through the session that started it.
  for (const { sessionId, title, status, lastReason } of sessions.filter(({ startedBy }) => startedBy === undefined)) {
    const last = before.get(sessionId);
    const wasAtWork = last !== undefined && last.status !== 'idle';
    const since = wasAtWork ? last.since : now;
    if (status === 'waiting' && last?.status !== 'waiting') news.push({ sessionId, title, what: 'waits' });
    const asks = status === 'idle' && lastReason === 'waiting';
    if (asks && wasAtWork) news.push({ sessionId, title, what: 'waits' });
    if (status === 'idle' && !asks && wasAtWork && now - since >= longTaskMs)
      news.push({ sessionId, title, what: 'ended' });
    if (status !== 'idle') watched.set(sessionId, { status, since });
  }
  return { watched, news };
}
