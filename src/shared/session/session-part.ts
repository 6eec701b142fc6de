import type { SessionState, TurnState } from './session-state.ts';

type Lists = Pick<SessionState, 'turns' | 'messages' | 'steps' | 'toolCalls' | 'actions'>;

/**
 * Neighboring turns of a session with everything that happened in them. The folded state keeps that only for the
 * latest.
 */
export interface SessionPart extends Lists {
  /** The event that began the first of them. */
  readonly fromSeq: number;
  /** The event that begins what follows them. */
  readonly toSeq: number;
}

/**
 * The index of the first turn from which on the fold has every step and action. Lists in the fold keep only their
 * latest items, so older turns may be incomplete. The last turn always counts as complete.
 */
export function firstWholeTurn(state: Lists & Pick<SessionState, 'totals'>): number {
  const { totals } = state;
  const isAllKept =
    totals.steps <= state.steps.length &&
    totals.toolCalls <= state.toolCalls.length &&
    totals.actions <= state.actions.length;
  if (isAllKept) return 0;
  const steps = countByTurn(state.steps.map((step) => step.turnId));
  const calls = state.toolCalls.filter((call) => call.startedAt !== null && call.tool !== 'task_complete');
  const actions = countByTurn([...calls, ...state.actions].map((call) => call.turnId));
  const has = (turn: TurnState): boolean =>
    (steps.get(turn.id) ?? 0) >= turn.steps && (actions.get(turn.id) ?? 0) >= turn.actions;
  // An incomplete last turn stands alone, because the turns before it do not join up with what is known of it.
  let first = Math.max(0, state.turns.length - 1);
  for (let index = first - 1; index >= 0; index -= 1) {
    const turn = state.turns[index];
    if (turn === undefined || !has(turn)) break;
    first = index;
  }
  return first;
}

/** The turns `[from, to)` of a fold, by index. Null when there are none. */
export function partOf(state: Lists, [from, to]: readonly [number, number], toSeq: number): SessionPart | null {
  const turns = state.turns.slice(from, to);
  const [first] = turns;
  if (first === undefined) return null;
  const ids = new Set<string | null>(turns.map((turn) => turn.id));
  const messageIds = new Set(turns.map((turn) => turn.messageId));
  const isHere = ({ turnId }: { readonly turnId: string | null }): boolean => ids.has(turnId);
  return {
    fromSeq: first.seq,
    toSeq,
    turns,
    messages: state.messages.filter(
      ({ messageId, seq }) => messageIds.has(messageId) || (seq > first.seq && seq < toSeq),
    ),
    steps: state.steps.filter(isHere),
    toolCalls: state.toolCalls.filter(isHere),
    actions: state.actions.filter(isHere),
  };
}

function countByTurn(ids: readonly (string | null)[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) if (id !== null) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
