import type { Escalation } from '@shared/routing/escalations.ts';
import { escalationsIn } from '@shared/routing/escalations.ts';
import type { SessionEvent } from '@shared/events/events.ts';
import { compileFences } from '@shared/safety/fences.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import type { Settings } from '@shared/settings/settings.ts';
import { readShortenedResult } from '../../agent/prompt/read-shortened-result.ts';
import { runReplayTurn } from '../../agent/replay/replay-turn.ts';
import type { ReplayParts } from '../../agent/replay/replay-turn.ts';
import { abortable } from '../../lib/async/abort.ts';
import type { RuleFiles } from '../../safety/rule-files.ts';
import { fenceSources } from '../../safety/rules/session-rules.ts';
import { isSecretFile } from '../../sandbox/workspace/secret-files.ts';
import type { Handlers } from '../../server/handlers.ts';
import type { Blobs } from '../blobs/blob-store.ts';
import { readCallDetail } from './read-call-detail.ts';
import type { LogReader } from './read-history.ts';
import { readHistory } from './read-history.ts';
import { refuseAtWork } from '../open/refused-requests.ts';
import type { OpenSessions } from '../open/open-sessions.ts';
import { readPrograms } from './read-programs.ts';
import { readManifest } from './read-manifest.ts';
import { refuseOlderLog, replaySession } from '../replay/replay-session.ts';
import type { SessionStore } from '../store/session-store.ts';
import type { CallDetail } from '@shared/contract/sessions-contract.ts';

export interface HistoryCommandsOptions {
  readonly sessions: OpenSessions;
  readonly store: SessionStore;
  readonly blobs: Blobs;
  readonly rules: RuleFiles;
  readonly settings: () => Settings;
  /** The current engine, which replays a session. */
  readonly engine: ReplayParts;
}

/** Handlers for what a session's log holds beyond its folded state. They read the log again for each call. */
export function createHistoryCommands({ sessions, store, blobs, rules, settings, engine }: HistoryCommandsOptions) {
  const look = async (sessionId: string): Promise<LogReader & { readonly state: SessionState }> => {
    const journal = sessions.openJournal(sessionId);
    if (journal === null) return store.view(sessionId);
    return { state: journal.state(), marks: journal.marks(), read: (fromSeq) => journal.read(fromSeq) };
  };
  return {
    detail: async ({ input: { sessionId, id, near } }) => {
      const log = await look(sessionId);
      const from = near ?? seqOf(log.state, id);
      const found = await readCallDetail(log.read(from), id, blobs);
      if (found !== null || from === 1) return found ?? noDetail;
      return (await readCallDetail(log.read(1), id, blobs)) ?? noDetail;
    },
    history: async ({ input }) => readHistory(await look(input.sessionId), input.place),
    programs: async ({ input }) => readPrograms(await look(input.sessionId)),
    manifest: async ({ input: { sessionId, step } }) => {
      const view = await store.view(sessionId);
      const { projectPath } = view.state;
      const sources = fenceSources(await rules.activeRules(projectPath), settings());
      const fences = compileFences({ settings: sources, projectPath, isSecretFile });
      return readManifest(view.read(), step, { blobs, fences });
    },
    trimmed: async ({ input }) => readShortenedResult(await store.view(input.sessionId), input.callId),
    escalations: async ({ input }) => escalationsOf((await store.view(input.sessionId)).read()),
    replay: async ({ input: { sessionId }, signal }) => {
      refuseAtWork(sessions, sessionId);
      const view = await store.view(sessionId, 'whole');
      await refuseOlderLog(view);
      return abortable(
        replaySession(view, blobs, (turn) => runReplayTurn(turn, engine)),
        signal,
      );
    },
  } satisfies Partial<Handlers['sessions']>;
}

const noDetail: CallDetail = { text: null, request: null, parts: [], price: null, tools: [] };

/** The number of an event before the one with this `id`, as near as the state knows. If unknown: of the first event. */
function seqOf(state: SessionState, id: string): number {
  const message = state.messages.find((one) => one.messageId === id);
  if (message !== undefined) return message.seq;
  const item =
    state.steps.find((step) => step.callId === id) ??
    [...state.toolCalls, ...state.actions].find((call) => call.toolCallId === id);
  const turnId = item === undefined ? id : item.turnId;
  return state.turns.find((turn) => turn.id === turnId)?.seq ?? 1;
}

async function escalationsOf(events: AsyncIterable<SessionEvent>): Promise<readonly Escalation[]> {
  const kept: SessionEvent[] = [];
  for await (const event of events) {
    if (event.type === 'route-decided' || event.type === 'model-call-started' || event.type === 'stage-chosen') {
      kept.push(event);
    }
  }
  return escalationsIn(kept);
}
