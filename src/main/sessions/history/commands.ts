import type { CallDetail } from '@shared/contract/contract.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import type { CoreApi } from '../../server/core-api.ts';
import type { OpenSessions } from '../open/open-sessions.ts';
import type { Blobs } from '../blobs/blob-store.ts';
import { readCallDetail } from './read-call-detail.ts';
import type { LogReader } from './read-history.ts';
import { readHistory } from './read-history.ts';
import type { SessionStore } from '../store/session-store.ts';

const noDetail: CallDetail = { text: null, request: null, parts: [], price: null, tools: [] };

/** What hosts look up in a log beyond what its fold keeps. */
export function createHistoryCommands(
  sessions: OpenSessions,
  store: SessionStore,
  blobs: Blobs,
): Pick<CoreApi, 'callDetail' | 'history'> {
  const look = async (sessionId: string): Promise<LogReader & { readonly state: SessionState }> => {
    const journal = sessions.openJournal(sessionId);
    if (journal === null) return store.view(sessionId);
    return { state: journal.state(), marks: journal.marks(), read: (fromSeq) => journal.read(fromSeq) };
  };
  return {
    callDetail: async (sessionId, id, near) => {
      const log = await look(sessionId);
      const from = near ?? seqOf(log.state, id);
      const found = await readCallDetail(log.read(from), id, blobs);
      if (found !== null || from === 1) return found ?? noDetail;
      return (await readCallDetail(log.read(1), id, blobs)) ?? noDetail;
    },
    history: async (sessionId, place) => readHistory(await look(sessionId), place),
  };
}

/** Of an event before the one that `id` names, as near as the state knows; the first where it does not. */
function seqOf(state: SessionState, id: string): number {
  const message = state.messages.find((one) => one.messageId === id);
  if (message !== undefined) return message.seq;
  const item =
    state.steps.find((step) => step.callId === id) ??
    [...state.toolCalls, ...state.actions].find((call) => call.toolCallId === id);
  const turnId = item === undefined ? id : item.turnId;
  return state.turns.find((turn) => turn.id === turnId)?.seq ?? 1;
}
