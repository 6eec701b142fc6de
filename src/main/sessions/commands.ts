import { AppError } from '@shared/errors.ts';
import type { RunResult } from '@shared/session/run-result.ts';
import { readLastWords } from './log/whole-texts.ts';
import { buildRunResult } from '../agent/turn/build-run-result.ts';
import { recordOfKey } from '@shared/projects/project-keys.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import type { HomeMoney } from '../money/home-money.ts';
import type { Handlers } from '../server/handlers.ts';
import { toSessionSummary } from './library/session-list-entry.ts';
import type { OpenSessions } from './open/open-sessions.ts';
import { editPlan, takenMessage } from './open/refused-requests.ts';
import { sessionStream } from './open/session-stream.ts';
import type { SessionStore } from './store/session-store.ts';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';

export interface SessionCommandsOptions {
  readonly sessions: OpenSessions;
  readonly store: SessionStore;
  readonly money: Pick<HomeMoney, 'reference'>;
  readonly settings: Pick<SettingsStore, 'current'>;
}

/** Handlers for working in a session. Ids are complete, except in `find`, which also takes the beginning of one. */
export function createSessionCommands({ sessions, store, money, settings }: SessionCommandsOptions) {
  const records = () => settings.current().projects.records;
  const list = async (): Promise<readonly SessionSummary[]> =>
    (await store.list()).map((summary) => toSessionSummary(summary, statusOf(sessions, summary.id), records()));
  return {
    create: async ({ input: { project, ...input }, signal }) => {
      const found = project === undefined || project === null ? null : recordOfKey(records(), project);
      if (found === null && project !== undefined && project !== null && input.projectPath === null)
        throw new AppError('not-found', `The project "${project}" was not found.`);
      const isTalk = found !== null && input.projectPath === null;
      const asked = isTalk ? { ...input, project: found.id } : input;
      return { sessionId: await sessions.create(asked, signal) };
    },
    send: async ({ input: { sessionId, text, options, attachments } }) => {
      const { messageId, queued } = await sessions.send(sessionId, text, options, attachments);
      return { messageId, queued };
    },
    choose: ({ input }) => sessions.choices.choose(input.sessionId, input.chosen),
    withdraw: async ({ input }) => {
      if ((await sessions.runner(input.sessionId)?.withdraw(input.messageId)) !== true) throw takenMessage();
    },
    events: ({ input, signal }) => sessionStream(() => sessions.journal(input.sessionId), input.fromSeq, signal),
    cancel: ({ input }) => sessions.cancel(input.sessionId),
    approve: ({ input }) => sessions.answers.approve(input),
    answerCap: ({ input }) => sessions.answers.cap(input.sessionId, input.capId, input.decision),
    editPlan: async ({ input }) => editPlan(await sessions.journal(input.sessionId), input.turnId, input.steps),
    list,
    find: async ({ input }) => {
      const id = await store.find(input.id);
      const found = (await list()).find((summary) => summary.sessionId === id);
      if (found === undefined) throw new AppError('not-found', `The session "${input.id}" was not found.`);
      return found;
    },
    show: async ({ input: { sessionId } }) => {
      const journal = sessions.openJournal(sessionId);
      if (journal !== null) return { state: journal.state(), money: journal.money() };
      const { state, money: spent } = await store.view(sessionId);
      return { state, money: spent };
    },
    result: async ({ input: { sessionId } }): Promise<RunResult> => {
      const runner = sessions.runner(sessionId);
      await runner?.idle();
      const failure = runner?.failure() ?? null;
      if (failure !== null) throw failure;
      const journal = sessions.openJournal(sessionId);
      const log =
        journal === null
          ? await store.view(sessionId)
          : { state: journal.state(), read: (from?: number) => journal.read(from) };
      const { state } = log;
      const used = state.steps.findLast(({ where }) => where === 'cloud')?.model ?? state.chosen.cloud ?? null;
      const result = buildRunResult(state, await money.reference(used));
      if (result === null) throw new AppError('not-found', 'No turn of this session has ended yet.');
      return { ...result, text: await readLastWords(log) };
    },
  } satisfies Partial<Handlers['sessions']>;
}

/** A running turn that waits for an answer counts as `waiting`. */
function statusOf(sessions: OpenSessions, sessionId: string): SessionSummary['status'] {
  if (sessions.runner(sessionId)?.isRunning() !== true) return 'idle';
  const state = sessions.openJournal(sessionId)?.state();
  const isWaiting = state !== undefined && (state.approvals.length > 0 || state.cap !== null);
  return isWaiting ? 'waiting' : 'running';
}
