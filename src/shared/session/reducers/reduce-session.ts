import type { SessionEvent } from '@shared/events/events.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { reduceTurns } from './reduce-turns.ts';

/** Folds one event. Pure; an event of a type it does not know changes nothing. */
export function reduceSession(state: SessionState, event: SessionEvent): SessionState {
  const change = reduceTurns(state, event);
  if (change === null) return state;
  // A hundred sessions that are archived at once stay where they are in the list of days.
  const lastAt = event.type === 'session-organized' ? state.lastAt : event.at;
  return { ...state, ...change, seq: event.seq, lastAt };
}
