import type { SessionEvent } from '@shared/events/events.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { reduceTurnMoney } from './reduce-turn-money.ts';
import { reduceTurns } from './reduce-turns.ts';

/** Folds one event. Pure. An unknown event type changes nothing. */
export function reduceSession(state: SessionState, event: SessionEvent): SessionState {
  const change = reduceTurns(state, event);
  if (change === null) return state;
  // Organizing a session is not work on it, so archived sessions keep their place in the list by date.
  const lastAt = event.type === 'session-organized' ? state.lastAt : event.at;
  const turns = reduceTurnMoney(change.turns ?? state.turns, event, state.cap);
  return { ...state, ...change, turns, seq: event.seq, lastAt };
}
