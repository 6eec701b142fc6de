import type { SessionEvent } from '@shared/events/events.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { reduceTurns } from './reduce-turns.ts';

/** Folds one event. Pure; an event of a type it does not know changes nothing. */
export function reduceSession(state: SessionState, event: SessionEvent): SessionState {
  const change = reduceTurns(state, event);
  return change === null ? state : { ...state, ...change, seq: event.seq, lastAt: event.at };
}
