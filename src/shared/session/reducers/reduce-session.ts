import type { SessionEvent } from '@shared/events/events.ts';
import { addToTurn, raiseInTurn, type TurnMoney } from '@shared/money/turn-money.ts';
import type { SessionState, TurnState } from '@shared/session/session-state.ts';
import { reduceTurns } from './reduce-turns.ts';

/** Folds one event. Pure. An unknown event type changes nothing. */
export function reduceSession(state: SessionState, event: SessionEvent): SessionState {
  const change = reduceTurns(state, event);
  if (change === null) return state;
  // Organizing or moving a session is not work on it, so archived sessions keep their place in the list by date.
  const isPlaced = ['session-organized', 'session-moved', 'folder-moved'].includes(event.type);
  const lastAt = isPlaced ? state.lastAt : event.at;
  const turns = reduceTurnMoney(change.turns ?? state.turns, event, state.cap);
  return { ...state, ...change, turns, seq: event.seq, lastAt };
}

/** The turns after an event that costs money or raises a limit. `cap`: the limit that was asked about before it. */
function reduceTurnMoney(
  turns: readonly TurnState[],
  event: SessionEvent,
  cap: SessionState['cap'],
): readonly TurnState[] {
  const money = changeOf(event, cap);
  const at = money === null ? -1 : turns.findLastIndex(({ id }) => event.turnId === undefined || id === event.turnId);
  if (money === null || at < 0) return turns;
  return turns.map((turn, index) => (index === at ? { ...turn, money: money(turn.money) } : turn));
}

function changeOf(
  event: SessionEvent,
  cap: SessionState['cap'],
): ((before: TurnMoney | undefined) => TurnMoney) | null {
  if (event.type === 'model-call-ended' || event.type === 'child-session-ended') {
    return (before) => addToTurn(before, event);
  }
  if (event.type !== 'cap-answered' || event.raisedUsd === null || cap === null) return null;
  const { raisedUsd } = event;
  return (before) => raiseInTurn(before, cap.scope, raisedUsd);
}
