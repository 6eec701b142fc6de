import { AppError, toFailure } from '@shared/errors.ts';
import { emptyMoney, reduceMoney } from '@shared/money/session-money.ts';
import type { MoneyState } from '@shared/money/session-money.ts';
import type { AgentDefinition } from '@shared/session/agent-definitions.ts';
import type { ChildState } from '@shared/session/agent-tree.ts';
import { settingsForProject } from '@shared/settings/settings-for-project.ts';
import type { FenceHit } from '@shared/safety/fences.ts';
import { firstLine } from '@shared/text/shorten-text.ts';
import type { TurnEnd } from '../../agent/turn/turn-baseline.ts';
import { childAbort } from '../../lib/async/child-abort.ts';
import type { UserApprover } from '../../safety/approvals/user-approver.ts';
import { fencedIn } from '../../safety/fenced-text.ts';
import type { SessionFences } from '../../safety/session-fences.ts';
import type { ChildAgents, ChildResult, ParentTurn, SpawnRequest } from '../../tools/agents/child-agents.ts';
import type { LiveJournal } from '../journal/live-journal.ts';
import type { NewSessionRequest } from '../open/new-session.ts';
import type { OpenSessionsOptions } from '../open/session-options.ts';
import { createChildApprover } from './child-approver.ts';
import { createChildBudget } from './child-budget.ts';
import { changesOf, diffOf, spentSince } from './child-changes.ts';
import type { ChildPlan } from './child-options.ts';
import { planChild } from './child-options.ts';
import type { ChildAdmission } from './child-admission.ts';
import { cancelledChild, createChildAdmission } from './child-admission.ts';
import type { ChildPart } from './child-part.ts';

/** How children reach the sessions of this core. */
export interface ChildHost {
  readonly create: (request: NewSessionRequest, signal: AbortSignal) => Promise<string>;
  readonly open: (sessionId: string) => Promise<{
    readonly journal: LiveJournal;
    readonly approver: UserApprover;
  }>;
  /** Sends the message and waits for the end of its turn. */
  readonly run: (
    sessionId: string,
    text: string,
    how: ChildPlan & { readonly part: ChildPart },
    signal: AbortSignal,
  ) => Promise<TurnEnd>;
  readonly fences: (sessionId: string) => SessionFences | null;
  readonly cancel: (sessionId: string) => Promise<void>;
  readonly rest: (sessionId: string) => Promise<void>;
  /** Opens it for this work alone. */
  readonly briefly: <T>(sessionId: string, work: (journal: LiveJournal) => Promise<T>) => Promise<T>;
}

type Options = Pick<OpenSessionsOptions, 'store' | 'bin' | 'settings' | 'agentKinds' | 'budget' | 'agent'>;

/** The agents that the sessions of a core start: counted together, and one after the other on an engine of this machine. */
export interface ChildSessions {
  readonly of: (parent: ParentSession) => ChildAgents & {
    /** Ends in the log what a crash cut off; before the first turn. */
    readonly settle: () => Promise<void>;
  };
}

export interface ParentSession {
  readonly journal: LiveJournal;
  readonly approver: UserApprover;
}

/** What one session and its children share with all others of the core. */
interface Shared {
  readonly options: Options;
  readonly host: ChildHost;
  readonly admission: ChildAdmission;
}

export function createChildSessions(options: Options, host: ChildHost): ChildSessions {
  const shared: Shared = {
    options,
    host,
    admission: createChildAdmission({
      members: async () => [...(await options.store.list()), ...(await options.bin.list())],
      caps: () => options.settings().agents,
    }),
  };
  return { of: (parent) => agentsOf(shared, parent) };
}

interface Work {
  readonly abort: () => void;
  readonly done: Promise<unknown>;
}

function agentsOf(shared: Shared, parent: ParentSession): ReturnType<ChildSessions['of']> {
  const { options, host, admission } = shared;
  const { journal } = parent;
  const working = new Set<Work>();
  const children = (): readonly ChildState[] => journal.state().children ?? [];
  const find = (name: string): ChildState => {
    const child = children().find((one) => one.name === name);
    if (child !== undefined) return child;
    const names = children().map((one) => one.name);
    throw new AppError('not-found', `There is no agent "${name}".`, {
      hint: names.length === 0 ? 'None was started.' : `There are: ${names.join(', ')}.`,
    });
  };
  const stopped = new Set<string>();
  /** Its end is waited for by whoever ends the turn, also when the tool that asked for it was left alone. */
  const track = async <T>(signal: AbortSignal, run: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const own = childAbort(signal);
    const done = run(own.signal).finally(own.release);
    const work: Work = { abort: own.abort, done: done.catch(() => undefined) };
    working.add(work);
    void work.done.then(() => working.delete(work));
    return done;
  };
  return {
    offer: async () => {
      if (!(await admission.hasRoom(journal.sessionId))) return null;
      const { found } = await options.agentKinds(journal.state().projectPath);
      return { kinds: found.map(({ name, description }) => ({ name, description })) };
    },
    spawn: (request, turn, signal) => track(signal, (own) => spawn(shared, parent, { request, turn, signal: own })),
    message: (name, { text, parent: turn }, signal) => {
      const child = find(name);
      if (stopped.has(name)) throw new AppError('conflict', `${name} was stopped. Start another one.`);
      return track(signal, (own) => goOn(shared, parent, { child, text, turn, signal: own }));
    },
    list: children,
    stop: async (name) => {
      const { sessionId } = find(name);
      stopped.add(name);
      await host.cancel(sessionId);
      await host.rest(sessionId);
    },
    changes: (name) => host.briefly(find(name).sessionId, async (child) => changesOf(child)),
    diff: (name) => host.briefly(find(name).sessionId, diffOf),
    bytes: async (image) => (image?.kept === true ? journal.getBlob(image.blob) : null),
    taken: (name, paths) =>
      host.briefly(find(name).sessionId, async (child) => {
        await child.append({ type: 'changes-taken', paths: [...paths], target: journal.state().workspace?.path ?? '' });
      }),
    end: async () => {
      for (const { abort } of working) abort();
      await Promise.all([...working].map(({ done }) => done));
    },
    settle: async () => {
      for (const child of children()) if (child.endedAt === null) await settleLeft(shared, parent, child);
    },
  };
}

interface Spawn {
  readonly request: SpawnRequest;
  readonly turn: ParentTurn;
  readonly signal: AbortSignal;
}

async function spawn(shared: Shared, parent: ParentSession, { request, turn, signal }: Spawn): Promise<ChildResult> {
  const { options } = shared;
  const { projectPath } = parent.journal.state();
  const definition = await definitionOf(options, projectPath, request.kind);
  const plan = await planOf(shared, parent, { asked: request, turn, definition });
  const begun = await begin(shared, parent, { request, plan, turn, signal });
  try {
    return await work(shared, parent, { ...begun, text: request.task, plan, turn, signal });
  } finally {
    begun.leave();
  }
}

async function goOn(
  shared: Shared,
  parent: ParentSession,
  {
    child,
    text,
    turn,
    signal,
  }: { readonly child: ChildState; readonly text: string; readonly turn: ParentTurn; readonly signal: AbortSignal },
): Promise<ChildResult> {
  const { options } = shared;
  if (child.endedAt === null) throw new AppError('conflict', `${child.name} works. Wait until it has ended.`);
  const { access, kind, model, tools } = child;
  const definition = await definitionOf(options, parent.journal.state().projectPath, kind);
  const asked = { access, kind, model, tools, maxSteps: null, maxUsd: null };
  const plan = await planOf(shared, parent, { asked, turn, definition });
  const leave = await shared.admission.admit(parent.journal.sessionId, { isNew: false, signal });
  try {
    await parent.journal.append(startedEvent(child, { plan, turn, task: text }));
    return await work(shared, parent, { sessionId: child.sessionId, text, plan, turn, signal });
  } finally {
    leave();
  }
}

async function definitionOf(
  { agentKinds }: Options,
  projectPath: string | null,
  kind: string | null,
): Promise<AgentDefinition | null> {
  if (kind === null) return null;
  const { found } = await agentKinds(projectPath);
  const definition = found.find(({ name }) => name === kind);
  if (definition !== undefined) return definition;
  const names = found.map(({ name }) => name);
  throw new AppError('not-found', `There is no kind of agent "${kind}".`, {
    hint: names.length === 0 ? 'Leave "kind" out.' : `There are: ${names.join(', ')}.`,
  });
}

async function planOf(
  { options }: Shared,
  parent: ParentSession,
  {
    asked,
    turn,
    definition,
  }: {
    readonly asked: Omit<SpawnRequest, 'task'>;
    readonly turn: ParentTurn;
    readonly definition: AgentDefinition | null;
  },
): Promise<ChildPlan> {
  const settings = settingsForProject(options.settings(), parent.journal.state().projectPath);
  const never = new AbortController().signal;
  return planChild(asked, turn, {
    settings,
    definition,
    modelInfo: (id) => options.agent.modelInfo(id, never),
  });
}

/** Makes the child's session, and notes it with its parent. */
async function begin(
  shared: Shared,
  parent: ParentSession,
  { request, plan, turn, signal }: Spawn & { readonly plan: ChildPlan },
): Promise<{ readonly sessionId: string; readonly leave: () => void }> {
  const { journal } = parent;
  const { workspace, projectPath } = journal.state();
  if (workspace === null) throw new AppError('log-damaged', 'The log does not name the workspace of this session.');
  let sessionId = '';
  const leave = await shared.admission.admit(journal.sessionId, { isNew: true, signal }, async ({ rootId, depth }) => {
    const name = `agent-${(journal.state().children?.length ?? 0) + 1}`;
    const by = { sessionId: journal.sessionId, toolCallId: turn.toolCallId, name };
    const isReading = plan.access === 'read-only';
    sessionId = await shared.host.create(
      {
        projectPath,
        sourcePath: workspace.path,
        workspace: isReading ? 'in-place' : 'copy',
        sandbox: isReading ? 'read-only' : 'container',
        title: firstLine(`${name}: ${request.task}`),
        tree: { rootId, depth: depth + 1, by },
        ...(turn.fenced.length === 0 ? {} : { fenced: [...turn.fenced] }),
      },
      signal,
    );
    const { kind, model, tools } = request;
    const child = { sessionId, name, access: plan.access, kind, model, tools };
    await journal.append(startedEvent(child, { plan, turn, task: request.task }));
  });
  return { sessionId, leave };
}

function startedEvent(
  {
    sessionId,
    name,
    access,
    kind,
    model,
    tools,
  }: Pick<ChildState, 'sessionId' | 'name' | 'access' | 'kind' | 'model' | 'tools'>,
  { plan, turn, task }: { readonly plan: ChildPlan; readonly turn: ParentTurn; readonly task: string },
) {
  return {
    type: 'child-session-started',
    turnId: turn.turnId,
    sessionId,
    toolCallId: turn.toolCallId,
    name,
    task,
    access,
    kind,
    model,
    tools: tools === null ? null : [...tools],
    maxUsd: plan.run.maxUsd ?? null,
  } as const;
}

interface Run {
  readonly sessionId: string;
  readonly text: string;
  readonly plan: ChildPlan;
  readonly turn: ParentTurn;
  readonly signal: AbortSignal;
}

/** One run of a child, to its end and the note of it; what was done until a cancel is kept and told. */
async function work(shared: Shared, parent: ParentSession, run: Run): Promise<ChildResult> {
  const { host } = shared;
  const { sessionId, plan, turn, signal } = run;
  const { journal, approver } = await host.open(sessionId);
  const before = journal.money();
  const [startedAt, stepsBefore] = [journal.now(), journal.state().totals.steps];
  const child = parent.journal.state().children?.find((one) => one.sessionId === sessionId);
  if (child === undefined) throw new AppError('internal', 'The agent that was started is not in the log.');
  const part: ChildPart = {
    budget: createChildBudget({
      parent: shared.options.budget({
        sessionId: parent.journal.sessionId,
        projectPath: parent.journal.state().projectPath,
        ask: async () => null,
      }),
      parentTurnId: turn.turnId,
      parentCapUsd: turn.taskCapUsd,
      mostUsd: plan.run.maxUsd ?? null,
      log: sessionId,
    }),
    approver: createChildApprover({
      parent,
      child: { journal, approver, name: child.name },
      turnId: turn.turnId,
      toolCallId: turn.toolCallId,
    }),
  };
  const end = await runToEnd(shared, run, part);
  const spent = spentSince(before, journal.money());
  const changes = changesOf(journal);
  const fenced = await fencedEnd(host.fences(sessionId), end.text);
  await parent.journal.append({
    type: 'child-session-ended',
    turnId: turn.turnId,
    sessionId,
    toolCallId: turn.toolCallId,
    costUsd: spent.costUsd,
    usage: spent.usage,
    reason: end.reason,
    text: end.text,
    changedFiles: changes.length,
    ...(fenced.length === 0 ? {} : { fenced: [...fenced] }),
  });
  // A container holds memory: the next message starts a new one.
  await host.rest(sessionId).catch(() => undefined);
  if (signal.aborted) throw cancelledChild();
  return {
    child,
    reason: end.reason,
    text: end.text,
    seconds: Math.max(0, journal.now() - startedAt) / 1000,
    steps: journal.state().totals.steps - stepsBefore,
    tokens: spent.tokens,
    costUsd: spent.costUsd,
    changes,
  };
}

/** Never rejects: what goes wrong is how it ended. */
async function runToEnd(shared: Shared, { sessionId, text, plan, signal }: Run, part: ChildPart): Promise<TurnEnd> {
  const { host } = shared;
  const info = plan.local === null ? null : await shared.options.agent.modelInfo(plan.local, signal).catch(() => null);
  const leave = await shared.admission.enterEngine(info?.provider ?? null, signal);
  if (leave === null || signal.aborted) {
    leave?.();
    return { reason: 'cancelled', text: 'Cancelled before it began.', confidence: null, failure: null };
  }
  const cancel = (): void => void host.cancel(sessionId).catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await host.run(sessionId, text, { ...plan, part }, signal);
  } catch (error) {
    const failure = toFailure(error);
    const reason = signal.aborted ? 'cancelled' : 'error';
    return { reason, text: failure.message, confidence: null, failure };
  } finally {
    signal.removeEventListener('abort', cancel);
    leave();
  }
}

/** What may not leave of what a child says. Without its fences nobody knows: then nothing of it came to be. */
async function fencedEnd(fences: SessionFences | null, text: string): Promise<readonly FenceHit[]> {
  if (fences === null) return [];
  return (await fencedIn(fences, text, new AbortController().signal)).hits;
}

/** A child whose process was killed: what it cost stands in its own log. */
async function settleLeft({ host }: Shared, parent: ParentSession, child: ChildState): Promise<void> {
  const { sessionId } = child;
  const found = await host
    .briefly(sessionId, async (journal) => {
      // Of its last run alone: those before were noted.
      let money: MoneyState = emptyMoney;
      for await (const event of journal.read()) {
        if (event.type === 'turn-started') money = emptyMoney;
        money = reduceMoney(money, event);
      }
      return { ...spentSince(emptyMoney, money), changedFiles: changesOf(journal).length };
    })
    .catch(() => null);
  await parent.journal.append({
    type: 'child-session-ended',
    sessionId,
    costUsd: found?.costUsd ?? null,
    usage: found?.usage ?? emptyMoney.usage,
    reason: 'crashed',
    text: 'Dewpoint ended while it worked. What it had done is kept.',
    changedFiles: found?.changedFiles ?? 0,
  });
}
