import type { SessionPart } from '@shared/session/session-part.ts';
import { firstWholeTurn, partOf } from '@shared/session/session-part.ts';
import type { SessionState } from '@shared/session/session-state.ts';

/** Turns that the state has no more (or not all of), as far as they were looked up or stood here before: in order, none twice. */
export interface History {
  readonly parts: readonly SessionPart[];
  /** The first turn of the session begins here; null: not known yet. */
  readonly startSeq: number | null;
}

export const noHistory: History = { parts: [], startSeq: null };

/** Above this the earliest are let go: they can be looked up again. */
const mostTurns = 2_000;

/** The number of the event with which what is known of the state begins; null: no turn has begun. */
export function firstLiveSeq(state: SessionState): number | null {
  return state.turns[firstWholeTurn(state)]?.seq ?? null;
}

/** With a part put where it belongs, less the turns that are there already. */
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

/** Turns that leave the state as it goes on stay here: who reads them keeps them. */
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
