import type { SessionEvent } from './events.ts';
export interface MoneyState { readonly calls: number }
export const emptyMoney: MoneyState = { calls: 0 };
export function reduceMoney(state: MoneyState, event: SessionEvent): MoneyState { return event.type === 'model-call-ended' ? { calls: state.calls + 1 } : state; }
