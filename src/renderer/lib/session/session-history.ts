import type { SessionPart } from '@shared/session/session-part.ts';
import { firstWholeTurn, partOf } from '@shared/session/session-part.ts';
import type { SessionState } from '@shared/session/session-state.ts';

/**
 * Turns that the state no longer has in full and that were loaded, or were here before. In order, without duplicates.
 */
export interface History {
  readonly parts: readonly SessionPart[];
  /** The event that begins the session's first turn; null when not known yet. */
  readonly startSeq: number | null;
}

export const noHistory: History = { parts: [], startSeq: null };

/** Above this number, the earliest turns are dropped. They can be loaded again. */
const mostTurns = 2_000;

/** The event from which on the state is complete; null when no turn has begun. */
export function firstLiveSeq(state: SessionState): number | null {
  return state.turns[firstWholeTurn(state)]?.seq ?? null;
}

/** Adds a part in its place, without turns that are already there. */
export function addHistoryPart(history: History, part: SessionPart, liveSeq: number): History {
  const after = history.parts.filter((one) => one.fromSeq > part.fromSeq);
  const before = history.parts.filter((one) => one.fromSeq <= part.fromSeq);
  const last = before.at(-1);
  const from = last === undefined ? part.fromSeq : Math.max(part.fromSeq, last.toSeq);
  const to = Math.min(part.toSeq, after[0]?.fromSeq ?? liveSeq);
  const own = from === part.fromSeq && to === part.toSeq ? part : cut(part, from, to);
  if (own === null) return history;
  return { ...history, parts: limited([...before, own, ...after]) };
}

/** Keeps turns that leave the state, because the user may be reading them. */
export function keepLeavingTurns(history: History, before: SessionState, after: SessionState): History {
  if (before.turns === after.turns && before.steps === after.steps) return history;
  const from = firstWholeTurn(before);
  const boundary = after.turns[firstWholeTurn(after)];
  const first = before.turns[from];
  if (boundary === undefined || first === undefined || boundary.seq <= first.seq) return history;
  const index = before.turns.findIndex((turn) => turn.id === boundary.id);
  const [to, toSeq] = index < 0 ? [before.turns.length, before.seq + 1] : [index, boundary.seq];
  const part = partOf(before, [from, to], toSeq);
  if (part === null) return history;
  const last = history.parts.at(-1);
  const parts =
    last !== undefined && last.toSeq >= part.fromSeq
      ? [...history.parts.slice(0, -1), joined(last, part)]
      : [...history.parts, part];
  return { ...history, parts: limited(parts) };
}

function joined(left: SessionPart, right: SessionPart): SessionPart {
  return {
    fromSeq: left.fromSeq,
    toSeq: right.toSeq,
    turns: [...left.turns, ...right.turns],
    messages: [...left.messages, ...right.messages],
    steps: [...left.steps, ...right.steps],
    toolCalls: [...left.toolCalls, ...right.toolCalls],
    actions: [...left.actions, ...right.actions],
  };
}

function cut(part: SessionPart, fromSeq: number, toSeq: number): SessionPart | null {
  const from = part.turns.findIndex((turn) => turn.seq >= fromSeq);
  const to = part.turns.findLastIndex((turn) => turn.seq < toSeq) + 1;
  return from < 0 || to <= from ? null : partOf(part, [from, to], toSeq);
}

function limited(parts: readonly SessionPart[]): readonly SessionPart[] {
  let count = parts.reduce((sum, part) => sum + part.turns.length, 0);
  let kept = parts;
  while (count > mostTurns && kept.length > 1) {
    count -= kept[0]?.turns.length ?? 0;
    kept = kept.slice(1);
  }
  return kept;
}
