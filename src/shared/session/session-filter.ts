import type { SessionSummary } from '@shared/contract/sessions-contract.ts';
import { sortByNeed } from './session-news.ts';

/** Criteria for a list of sessions. An absent field allows everything. */
export interface SessionFilter {
  readonly project?: string;
  readonly tag?: string;
  /** `PROVIDER/MODEL`. */
  readonly model?: string;
  /** `cloud`: at least one call ran in the cloud. `local`: none did. */
  readonly place?: 'local' | 'cloud';
  /** US dollars. A session with an unknown cost always passes. */
  readonly minUsd?: number;
  /** Worked on since then, in milliseconds since 1970. */
  readonly since?: number;
  readonly isPinned?: true;
  /** `only`: archived sessions alone. `too`: with the others. Absent: without archived ones. */
  readonly archived?: 'only' | 'too';
}

export function fitsFilter(session: SessionSummary, filter: SessionFilter): boolean {
  const { project, tag, model, place, minUsd, since, isPinned, archived } = filter;
  if (archived === 'only' ? !session.isArchived : archived === undefined && session.isArchived) return false;
  if (isPinned === true && !session.isPinned) return false;
  if (project !== undefined && session.project !== project) return false;
  if (tag !== undefined && !session.tags.includes(tag)) return false;
  if (model !== undefined && !session.models.includes(model)) return false;
  if (place !== undefined && placeOf(session) !== place) return false;
  if (minUsd !== undefined && session.costUsd !== null && session.costUsd < minUsd) return false;
  return since === undefined || session.updatedAt >= since;
}

/** One call in the cloud makes it a cloud session. Null: no model was called yet. */
export function placeOf({ places }: Pick<SessionSummary, 'places'>): 'local' | 'cloud' | null {
  if (places.includes('cloud')) return 'cloud';
  return places.includes('local') ? 'local' : null;
}

/** All tags of these sessions: most used first, then by name. */
export function allTags(sessions: readonly Pick<SessionSummary, 'tags'>[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { tags } of sessions) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts]
    .sort(([left, before], [right, after]) => after - before || (left < right ? -1 : 1))
    .map(([tag]) => tag);
}

/** A talk as one entry of a list: its branches count together. */
export interface ListedTalk extends SessionSummary {
  /** All its branches, if there are several. */
  readonly branches?: readonly string[];
}

/**
 * One entry for each talk, in the order of the list. It opens the branch that needs the user, or else the one that was
 * worked on last. Costs and steps are those of all branches.
 */
export function asTalks(sessions: readonly SessionSummary[]): readonly ListedTalk[] {
  const talks = new Map<string, SessionSummary[]>();
  for (const session of sessions) {
    const talk = session.branchOf ?? session.sessionId;
    talks.set(talk, [...(talks.get(talk) ?? []), session]);
  }
  return [...talks.values()].flatMap((branches) => {
    if (branches.length === 1) return branches;
    const latest = branches.toSorted((left, right) => right.updatedAt - left.updatedAt);
    const [shown] = sortByNeed(latest);
    return shown === undefined ? [] : [joined(shown, latest)];
  });
}

function joined(shown: SessionSummary, all: readonly SessionSummary[]): ListedTalk {
  return {
    ...shown,
    branches: all.map(({ sessionId }) => sessionId),
    createdAt: Math.min(...all.map(({ createdAt }) => createdAt)),
    updatedAt: Math.max(...all.map(({ updatedAt }) => updatedAt)),
    steps: all.reduce((sum, { steps }) => sum + steps, 0),
    costUsd: all.reduce<number | null>(
      (sum, { costUsd }) => (sum === null || costUsd === null ? null : sum + costUsd),
      0,
    ),
    models: [...new Set(all.flatMap(({ models }) => models))],
    places: [...new Set(all.flatMap(({ places }) => places))],
  };
}
