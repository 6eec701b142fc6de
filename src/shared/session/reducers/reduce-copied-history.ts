import type { EventOf } from '@shared/events/events.ts';
import { droppedGrantsText, isImportedHistory } from '@shared/safety/approval-grants.ts';
import { withNotice } from './session-notices.ts';
import type { SessionState } from '@shared/session/session-state.ts';

/** Nobody waits here for an answer to what was asked there; what is dropped of it is said. */
export function reduceCopiedHistory(state: SessionState, event: EventOf<'history-copied'>): Partial<SessionState> {
  const { seq, changes, dropped } = event;
  const text = droppedGrantsText(dropped);
  return {
    sandbox: null,
    untracked: [],
    approvals: [],
    cap: null,
    ...(changes === 'settled' ? { changes: [], totals: { ...state.totals, changesLeftOut: 0 } } : {}),
    ...(isImportedHistory(event) ? { instructions: null } : {}),
    ...(text === null ? {} : withNotice(state, { seq, level: 'info', code: 'grants-dropped', text })),
  };
}
