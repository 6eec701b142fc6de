import type { EventOf } from '@shared/events/events.ts';
import { droppedText, isFromElsewhere } from '@shared/safety/approval-grants.ts';
import { noticed } from './session-notices.ts';
import type { SessionState } from '@shared/session/session-state.ts';

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
