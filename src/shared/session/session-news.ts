import type { SessionSummary } from '@shared/contract/sessions-contract.ts';
import { shownTurns } from './restore-state.ts';
import type { SessionState } from './session-state.ts';

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
  for (const { sessionId, title, status, lastReason } of sessions.filter(isOwnTask)) {
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

/** What a task needs of the user: an answer, nothing while it works, a look at its end, or nothing any more. */
export type TaskNeed = 'answer' | 'working' | 'look' | 'nothing';

type Task = Pick<SessionSummary, 'status' | 'isWaiting' | 'isUnseen'>;

const order = ['answer', 'working', 'look', 'nothing'] as const satisfies readonly TaskNeed[];

export function needOf({ status, isWaiting, isUnseen }: Task): TaskNeed {
  if (status === 'waiting' || isWaiting === true) return 'answer';
  if (status === 'running') return 'working';
  return isUnseen === true ? 'look' : 'nothing';
}

/** What needs the user first comes first. Equal needs keep their order. */
export function sortByNeed<T extends Task>(sessions: readonly T[]): readonly T[] {
  return order.flatMap((need) => sessions.filter((session) => needOf(session) === need));
}

/**
 * Whether a person started it as a task. An agent's question is asked in the session that started it, and the runs of a
 * comparison ask nobody and are shown there.
 */
export function isOwnTask({ startedBy, comparison }: Pick<SessionSummary, 'startedBy' | 'comparison'>): boolean {
  return startedBy === undefined && comparison === undefined;
}

/** A person's own sessions first, then those of agents and comparisons. Each part keeps its order. */
export function ownFirst<T extends Pick<SessionSummary, 'startedBy' | 'comparison'>>(
  sessions: readonly T[],
): readonly T[] {
  return [...sessions.filter(isOwnTask), ...sessions.filter((session) => !isOwnTask(session))];
}

/** How many tasks need what. */
export function countNeeds(
  sessions: readonly (Task & Pick<SessionSummary, 'startedBy' | 'comparison'>)[],
): Readonly<Record<TaskNeed, number>> {
  const counts = { answer: 0, working: 0, look: 0, nothing: 0 };
  for (const session of sessions) if (isOwnTask(session)) counts[needOf(session)] += 1;
  return counts;
}

/** How many tasks of a person wait for an answer or work, and are not in the list that is shown. */
export function hiddenNeeds(
  sessions: readonly (Task & Pick<SessionSummary, 'sessionId' | 'startedBy' | 'comparison'>)[],
  shown: readonly { readonly sessionId: string; readonly branches?: readonly string[] }[],
): Readonly<Record<TaskNeed, number>> {
  const seen = new Set(shown.flatMap(({ sessionId, branches = [sessionId] }) => branches));
  return countNeeds(sessions.filter(({ sessionId }) => !seen.has(sessionId)));
}

/** The last turn that is shown, if it has ended. */
export function endedTurn(state: Pick<SessionState, 'turns' | 'restores'>): string | null {
  const last = shownTurns(state).at(-1);
  return last === undefined || last.reason === null ? null : last.id;
}

/**
 * Its last turn has ended, and nobody looked at the end. The runs of a comparison and the agents of an agent are looked
 * at elsewhere. Whoever stops a task looks at it.
 */
export function hasUnseenEnd(state: SessionState): boolean {
  if (state.groupId !== null || state.tree?.by !== undefined) return false;
  const ended = endedTurn(state);
  const { reason } = state.turns.find(({ id }) => id === ended) ?? { reason: null };
  return ended !== null && reason !== 'cancelled' && state.organized?.seen !== ended;
}
