import type { SessionSummary } from '@shared/contract/sessions-contract.ts';

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
  if (project !== undefined && session.projectPath !== project) return false;
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
