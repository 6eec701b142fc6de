import type { Attachment } from '@shared/attachments/attachment.ts';
import type { Assistant } from '@shared/session/assistants.ts';
import type { Reply } from '@shared/errors.ts';
import { failure, success, toFailure, valueOf } from '@shared/errors.ts';
import { settingsForProject } from '../../settings/settings-for-project.ts';
import type { ChosenOptions } from '@shared/session/chosen-options.ts';
import { chosenOptions } from '@shared/session/chosen-options.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import { runOptionsSchema } from '@shared/session/run-options.ts';
import type { NewEvent } from '@shared/events/events.ts';
import { callFolder } from '@shared/sandbox/call-file.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import type { SentMessage, SessionRunner } from '../../agent/turn/session-runner.ts';
import { readMessage } from '../../agent/preparation/read-message.ts';
import type { GatheredAttachments } from '../attachments/message-attachments.ts';
import type { UserReply } from '../../safety/approvals/user-approver.ts';
import { createUserApprover } from '../../safety/approvals/user-approver.ts';
import { runWithAssistant } from './run-with-assistant.ts';
import type { KeptSessions } from './kept-sessions.ts';
import { keepSessions } from './kept-sessions.ts';
import type { RoutingSnapshot } from '../comparisons/routing-snapshot.ts';
import type { NewSessionRequest } from './new-session.ts';
import { startNewSession } from './new-session.ts';
import { defaultsOf, moveSession, projectOf, projectWords } from './session-project.ts';
import { offerCloudReview } from './offer-cloud-review.ts';
import { busySession, checkTaskText, mustWait } from './refused-requests.ts';
import type { OpenSession } from './open-session.ts';
import {
  atRest,
  cancelSession,
  closeSession,
  isAtWork,
  leaveQuestions,
  rest,
  restLater,
  sessionIdle,
  rememberTurn,
} from './open-session.ts';
import { runnerFor } from './runner-for.ts';
import { createSavedCalls } from './saved-calls.ts';
import type { OpenSessionsOptions } from './session-options.ts';
import { withEitherSignal } from '../../lib/async/child-abort.ts';
import type { CapDecision } from '../../money/budget.ts';
import type { ChildHost } from '../children/child-run.ts';
import { createChildSessions } from '../children/child-sessions.ts';
import type { ExecRequest, ExecResult, Sandbox } from '../../sandbox/sandbox.ts';
import type { LiveJournal } from '../journal/live-journal.ts';
import type { TurnOptions } from '../../settings/turn-options.ts';
import { turnChoice, turnOptions } from '../../settings/turn-options.ts';
import { agentConfig } from './agent-config.ts';
import { orNoted } from '../../lib/log.ts';
import { withWayOfKind } from './way-of-kind.ts';

/** The sandboxes of the open sessions, for work that no turn does. */
export interface OpenSandboxes {
  /** The current sandbox of a session. Null: there is none. Does not start one. */
  readonly of: (sessionId: string) => Sandbox | null;
  /** A sandbox that the user works in, kept until it is released. `conflict` while a turn runs. */
  readonly occupy: (
    sessionId: string,
    signal: AbortSignal,
  ) => Promise<{ readonly sandbox: Sandbox; readonly release: () => void }>;
  /** Runs a command in the sandbox of a session without a running turn. It is not logged. */
  readonly execute: (
    sessionId: string,
    request: Pick<ExecRequest, 'command' | 'env' | 'keepBytes'>,
    signal: AbortSignal,
  ) => Promise<Reply<ExecResult>>;
  /** Releases the sandbox of a session, unless it is at work. */
  readonly rest: (sessionId: string) => Promise<boolean>;
}

/** What the user answers to the questions of a running turn. Each throws if nothing waits for it. */
export interface UserAnswers {
  readonly approve: (said: UserReply & { readonly sessionId: string }) => void;
  readonly cap: (sessionId: string, capId: string, decision: CapDecision) => void;
}

/** The sessions that are open in this core. Each has a journal and, once it works, a sandbox and a runner. */
interface SessionChoices {
  /**
   * Notes what the person chose for the session. A running task takes it at its next step, or says why not.
   */
  readonly choose: (sessionId: string, chosen: ChosenOptions) => Promise<void>;
  /**
   * Moves a talk into a project or, with null, out of all. A running task takes the settings of the project at its next
   * step. Rejects with `bad-input` for a session that works in a folder.
   */
  readonly move: (sessionId: string, to: Parameters<typeof moveSession>[2]) => Promise<void>;
}

export interface OpenSessions {
  readonly create: (request: NewSessionRequest, signal?: AbortSignal) => Promise<string>;
  /** Sets the routing of the next turns of an open session. Null: the settings at their start count. */
  readonly hold: (sessionId: string, held: RoutingSnapshot | null) => void;
  readonly send: (
    sessionId: string,
    text: string,
    options: RunOptions,
    attachments?: readonly Attachment[],
  ) => Promise<SentMessage>;
  /** Writes into the log of a session. If it was not open, it is closed again, so that other processes can open it. */
  readonly note: (sessionId: string, event: (state: SessionState) => NewEvent | null) => Promise<void>;
  /** Opens the session for work if it is not open. */
  readonly journal: (sessionId: string) => Promise<LiveJournal>;
  /** Null: the session is not open in this core. */
  readonly runner: (sessionId: string) => SessionRunner | null;
  readonly openJournal: (sessionId: string) => LiveJournal | null;
  readonly cancel: (sessionId: string) => Promise<void>;
  readonly choices: SessionChoices;
  readonly answers: UserAnswers;
  readonly sandboxes: OpenSandboxes;
  /** Closes a session and releases everything that it holds. Rejects with `conflict` while a turn of it runs. */
  readonly close: (sessionId: string) => Promise<void>;
  /** The folder of each running turn, including those whose sandbox is being started. Null: it has none yet. */
  readonly workFolders: () => readonly (string | null)[];
  readonly idle: () => Promise<void>;
  readonly dispose: () => Promise<void>;
}

/** A child gets everything that it needs as text. */
const nothingGathered: GatheredAttachments = { attachments: [], notes: [] };

export function createOpenSessions(options: OpenSessionsOptions): OpenSessions {
  const begin = (journal: LiveJournal, wanted: OpenSession['wanted']): OpenSession => {
    const parent = { journal, approver: createUserApprover() };
    return { ...parent, agents: children.of(parent), savedCalls: createSavedCalls(journal), wanted, ...atRest };
  };
  const kept = keepSessions(async (id) => begin(await options.store.open(id), 'container'), closeSession);
  const { get } = kept;
  const stop = new AbortController();
  const create: OpenSessions['create'] = async (request, asked = stop.signal) => {
    const journal = await withEitherSignal(stop.signal, asked, (signal) => startNewSession(options, request, signal));
    const chosen = defaultsOf(options.settings().projects.records, projectOf(options, journal.state()));
    if (Object.keys(chosen).length > 0) await journal.append({ type: 'options-chosen', chosen });
    kept.add(journal.sessionId, begin(journal, request.sandbox ?? 'container'));
    return journal.sessionId;
  };
  const children = createChildSessions(options, childHost(options, kept, create, stop.signal));
  return {
    create,
    hold: (sessionId, held) => void Object.assign(kept.ready(sessionId) ?? {}, { held }),
    send: async (sessionId, text, run, given = []) => {
      checkTaskText(text);
      const assistant = run.assistant === undefined ? null : await options.userFiles.assistant(run.assistant);
      const gathered = await options.gather(sessionId, { text, given }, stop.signal);
      return sendTo(options, await get(sessionId), { text, run, assistant, gathered, signal: stop.signal });
    },
    choices: {
      choose: async (sessionId, chosen) => chooseIn(options, await get(sessionId), chosen, stop.signal),
      move: (sessionId, to) =>
        kept.briefly(sessionId, async (session) => {
          const isMoved = await moveSession(options, session.journal, to);
          if (isMoved && isAtWork(session))
            await chooseIn(options, session, session.journal.state().chosen, stop.signal);
        }),
    },
    note: (sessionId, eventOf) =>
      kept.briefly(sessionId, async ({ journal }) => {
        const event = eventOf(journal.state());
        if (event !== null) await journal.append(event);
      }),
    journal: async (sessionId) => (await get(sessionId)).journal,
    openJournal: (sessionId) => kept.ready(sessionId)?.journal ?? null,
    runner: (sessionId) => kept.ready(sessionId)?.runner ?? null,
    cancel: (sessionId) => cancelSession(kept.ready(sessionId)),
    answers: {
      approve: ({ sessionId, ...said }) => mustWait(kept.ready(sessionId)?.approver.answer(said)),
      cap: (id, capId, decision) => mustWait(kept.ready(id)?.approver.answerCap(capId, decision)),
    },
    sandboxes: {
      of: (sessionId) => kept.ready(sessionId)?.sandbox ?? null,
      occupy: async (sessionId, signal) => occupy(options, await get(sessionId), signal),
      execute: async (sessionId, request, signal) => executeIn(options, await get(sessionId), { request, signal }),
      rest: (sessionId) => rest(kept.ready(sessionId)),
    },
    close: async (sessionId) => {
      const session = kept.ready(sessionId);
      if (session !== null && isAtWork(session)) throw busySession(session.journal.state());
      await kept.release(sessionId);
    },
    workFolders: () =>
      kept
        .all()
        .filter(isAtWork)
        .map(({ journal }) => journal.state().workspace?.path ?? null),
    idle: async () => {
      await Promise.all(kept.all().map(sessionIdle));
    },
    dispose: async () => {
      stop.abort();
      await kept.dispose();
    },
  };
}

/** How children reach the sessions that are open here. */
function childHost(
  options: OpenSessionsOptions,
  kept: KeptSessions<OpenSession>,
  create: OpenSessions['create'],
  signal: AbortSignal,
): ChildHost {
  return {
    create,
    open: kept.get,
    run: async (id, text, { part, run, assistant, tools }, stopped) => {
      const session = await kept.get(id);
      session.child = part;
      try {
        const message = { text, run, assistant, tools, gathered: nothingGathered, signal };
        const { ended } = await sendTo(options, session, message);
        // The cancel came during the start, when there was no turn to cancel yet.
        if (stopped.aborted) await cancelSession(session);
        return await ended;
      } finally {
        session.child = null;
      }
    },
    fences: (id) => kept.ready(id)?.fences ?? null,
    cancel: (id) => cancelSession(kept.ready(id)),
    rest: (id) => rest(kept.ready(id)),
    briefly: (id, work) => kept.briefly(id, ({ journal }) => work(journal)),
  };
}

interface Asked {
  /** Of the message. Null: only a choice was made, which counts for the last one. */
  readonly text: string | null;
  readonly asked: RunOptions;
  readonly assistant: Assistant | null;
  readonly signal: AbortSignal;
}

/** The options of a turn of this session, with the settings, the assistant and what was learned filled in. */
async function optionsFor(
  options: OpenSessionsOptions,
  { journal, held }: OpenSession,
  { text, asked, assistant, signal }: Asked,
): Promise<{ readonly run: RunOptions; readonly routed: TurnOptions; readonly missing: string | null }> {
  const project = projectOf(options, journal.state());
  const settings = settingsForProject(options.settings(), project);
  const modelInfo = (id: string) => options.agent.models.info(id, signal);
  const run = assistant === null ? asked : await runWithAssistant(asked, assistant, { settings, modelInfo });
  const earlier = journal
    .state()
    .messages.map((one) => one.text)
    .toReversed();
  const texts = [...(text === null ? [] : [text]), ...earlier];
  const ofKind = await withWayOfKind(
    settings,
    { texts: held === null ? texts : [], projectPath: project, run },
    modelInfo,
  );
  const usual = {
    ...turnOptions(ofKind.settings, ofKind.run, assistant),
    ...(await projectWords(options, journal.state())),
    ...(ofKind.text === null ? {} : { ofKind: ofKind.text }),
  };
  const { routing } = held ?? { routing: null };
  return {
    run,
    missing: ofKind.isMissing ? ofKind.text : null,
    routed: routing === null ? await options.record.given(usual, journal.state().projectPath) : { ...usual, routing },
  };
}

/** The log has the choice before the turn does. */
async function chooseIn(
  options: OpenSessionsOptions,
  session: OpenSession,
  chosen: ChosenOptions,
  signal: AbortSignal,
): Promise<void> {
  const assistant = chosen.assistant === undefined ? null : await options.userFiles.assistant(chosen.assistant);
  const asked = runOptionsSchema.parse(chosen);
  const { routed } = await optionsFor(options, session, { text: null, asked, assistant, signal });
  await session.journal.append({ type: 'options-chosen', chosen });
  session.runner?.choose(turnChoice(routed));
}

async function sendTo(
  options: OpenSessionsOptions,
  session: OpenSession,
  {
    text,
    run: asked,
    assistant,
    tools = null,
    gathered,
    signal,
  }: {
    readonly text: string;
    readonly run: RunOptions;
    readonly assistant: Assistant | null;
    readonly tools?: readonly string[] | null;
    readonly gathered: GatheredAttachments;
    readonly signal: AbortSignal;
  },
): Promise<SentMessage> {
  const { chosen: before } = session.journal.state();
  const { run, routed, missing } = await optionsFor(options, session, { text, asked, assistant, signal });
  if (run.sandbox !== undefined) session.wanted = run.sandbox;
  const project = projectOf(options, session.journal.state());
  const knows = project !== null && (await options.agent.project.knowledgeOf(project).isThere());
  const chosen = {
    ...routed,
    ...(tools === null ? {} : { tools: [...tools] }),
    ...(knows ? { hasKnowledge: true as const } : {}),
  };
  session.approver.setInteractive(run.interactive, chosen.approve);
  const { mode } = readMessage(session.journal.state(), { text, options: chosen }, []).given;
  const runner = await runnerFor(options, session, { mode, signal });
  // A running task keeps the sandbox that it began with.
  if (session.madeWith.masks.includes(callFolder)) session.savedCalls.follow();
  if (missing !== null)
    await session.journal.append({ type: 'notice-added', level: 'warning', code: 'way-missing', text: missing });
  for (const note of gathered.notes) {
    await session.journal.append({ type: 'notice-added', level: 'warning', code: 'not-attached', text: note });
  }
  const { attachments } = gathered;
  const { chosen: now } = session.journal.state();
  const sent = await runner.post(text, chosen, { attachments, chosen: chosenOptions(asked) });
  // The answer came as a message. It begins the next turn, which goes on with the task.
  if (sent.queued) leaveQuestions(session);
  // Chosen while the sandbox was started: later than the message, so it counts for its turn.
  if (now !== before) await chooseIn(options, session, now, signal);
  const { journal } = session;
  void sent.ended
    // The runs of a comparison repeat one task: the results of earlier ones would affect the routing of later ones.
    .then(() => {
      const isRepeat = journal.state().groupId !== null;
      return rememberTurn(session, isRepeat ? Promise.resolve() : options.record.learn(journal.state()), signal);
    })
    .then(() => restLater(session))
    .then(() => offerCloudReview(options.agent, journal, { cloud: chosen.cloud, signal }))
    // The turn itself has ended well, so failures of the work after it are ignored.
    .catch(orNoted('The work after a turn failed', undefined));
  return sent;
}

async function executeIn(
  options: OpenSessionsOptions,
  session: OpenSession,
  {
    request,
    signal,
  }: { readonly request: Pick<ExecRequest, 'command' | 'env' | 'keepBytes'>; readonly signal: AbortSignal },
): Promise<Reply<ExecResult>> {
  const sandbox = await commandSandbox(options, session, signal);
  if (!sandbox.ok) return sandbox;
  return sandbox.value.exec(
    { ...request, timeoutMs: agentConfig(options.settings(), options.recipeSettings).commandTimeoutMs },
    signal,
  );
}

/** The sandbox of a session without a running turn, for commands that do not come from a model. */
async function commandSandbox(
  options: OpenSessionsOptions,
  session: OpenSession,
  signal: AbortSignal,
): Promise<Reply<Sandbox>> {
  if (session.runner?.isRunning() === true)
    return { ok: false, error: toFailure(busySession(session.journal.state())) };
  // The command may change the workspace, so it needs the sandbox of a `work` turn. A question would get a weaker one.
  await runnerFor(options, session, { mode: 'work', signal });
  const { sandbox } = session;
  if (sandbox === null || sandbox.tier === 'read-only') {
    const { message, hint } = sandbox?.description.missing ?? { message: 'This session is read-only.' };
    return failure('missing-sandbox', message, hint);
  }
  return success(sandbox);
}

async function occupy(
  options: OpenSessionsOptions,
  session: OpenSession,
  signal: AbortSignal,
): Promise<{ readonly sandbox: Sandbox; readonly release: () => void }> {
  session.occupants += 1;
  const release = (): void => {
    session.occupants -= 1;
    restLater(session);
  };
  try {
    return { sandbox: valueOf(await commandSandbox(options, session, signal)), release };
  } catch (error) {
    release();
    throw error;
  }
}
