// Placeholder signature; the reducer follows.
import type { SessionEvent } from './events.ts';
export interface SessionState { readonly seq: number }
export const emptySession: SessionState = { seq: 0 };
export function reduceSession(state: SessionState, event: SessionEvent): SessionState { return { ...state, seq: event.seq }; }
