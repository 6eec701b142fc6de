import type { TurnEndReason } from '@shared/events/turn-events.ts';
import { shownTurns } from './restore-state.ts';
import type { SessionState, TurnState } from './session-state.ts';

/** Ends that leave an answer without effect: what it was given for is still to be done. */
const unheard: ReadonlySet<TurnEndReason> = new Set([
  'incomplete',
  'step-limit',
  'time-limit',
  'token-limit',
  'output-limit',
  'cap',
  'fenced',
  'needs-approval',
  'missing',
  'sandbox-lost',
  'cancelled',
  'crashed',
  'error',
]);

/**
 * The turn whose task waits for the person: the one that asked, or one that was stopped after an answer. Null: none.
 * Questions that the person asked back in between leave it waiting. What a restore took out of the conversation does not
 * count.
 */
export function waitingTurn(state: Pick<SessionState, 'turns' | 'restores'>): TurnState | null {
  for (const turn of shownTurns(state).toReversed()) {
    const { reason, mode, answers } = turn;
    if (reason === 'waiting') return turn;
    if (reason === null) return null;
    if (answers !== undefined) return unheard.has(reason) ? turn : null;
    const isAskedBack = reason === 'answered' || (mode === 'ask' && unheard.has(reason));
    if (!isAskedBack) return null;
  }
  return null;
}

/** The turn that asked what the task of `turn` waits for. Null: it is not known any more. */
export function askingTurn(turns: readonly TurnState[], turn: TurnState): TurnState | null {
  if (turn.reason === 'waiting') return turn;
  const before = turns.find(({ id }) => id === turn.answers);
  return before === undefined ? null : askingTurn(turns, before);
}
