import type { EventOf } from './events.ts';
import { droppedText, isFromElsewhere } from './grants.ts';
import { noticed } from './session-notices.ts';
import type { SessionState } from './session-state.ts';

/** Nobody waits here for an answer to what was asked there; what is dropped of it is said. */
export function historyCopied(state: SessionState, event: EventOf<'history-copied'>): Partial<SessionState> {
  const { seq, changes, dropped } = event;
  const text = droppedText(dropped);
  return {
    sandbox: null,
    untracked: [],
    approvals: [],
    cap: null,
    ...(changes === 'settled' ? { changes: [], totals: { ...state.totals, changesLeftOut: 0 } } : {}),
    ...(isFromElsewhere(event) ? { instructions: null } : {}),
    ...(text === null ? {} : noticed(state, { seq, level: 'info', code: 'grants-dropped', text })),
  };
}
