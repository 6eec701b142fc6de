import { AppError } from '@shared/errors.ts';
import type { AgentDefinition } from '../../settings/agent-definitions.ts';
import type { ChildState } from '@shared/session/agent-tree.ts';
import { projectOf } from '../open/session-project.ts';
import { settingsForProject } from '../../settings/settings-for-project.ts';
import { firstLine } from '@shared/text/shorten-text.ts';
import { childAbort } from '../../lib/async/child-abort.ts';
import type { ChildAgents, ChildResult, ParentTurn, SpawnRequest } from '../../tools/agents/child-agents.ts';
import { createChildAdmission } from './child-admission.ts';
import { changesOf, diffOf } from './child-changes.ts';
import type { ChildPlan } from './child-options.ts';
import { planChild } from './child-options.ts';
import type { ChildHost, ChildOptions, ParentSession, ChildServices } from './child-run.ts';
import { runChild, settleChild } from './child-run.ts';

/** The agents that the sessions of a core start. They are counted together, and take turns on a local engine. */
export interface ChildSessions {
  readonly of: (parent: ParentSession) => ChildAgents & {
    /** Ends in the log what a crash cut off. Call it before the first turn. */
    readonly settle: () => Promise<void>;
  };
}

export function createChildSessions(options: ChildOptions, host: ChildHost): ChildSessions {
  const shared: ChildServices = {
    options,
    host,
    admission: createChildAdmission({
      members: async () => [...(await options.store.members()), ...(await options.bin.members())],
      caps: () => options.settings().agents,
    }),
  };
  return { of: (parent) => agentsOf(shared, parent) };
}

interface Work {
  readonly abort: () => void;
  readonly done: Promise<unknown>;
}

function agentsOf(shared: ChildServices, parent: ParentSession): ReturnType<ChildSessions['of']> {
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
  /** Registers the run, so that the end of the turn can wait for it even if the calling tool no longer does. */
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
      const { found } = await options.userFiles.agentKinds(journal.state().projectPath);
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
      for (const child of children()) if (child.endedAt === null) await settleChild(shared, parent, child);
    },
  };
}

interface Spawn {
  readonly request: SpawnRequest;
  readonly turn: ParentTurn;
  readonly signal: AbortSignal;
}

async function spawn(
  shared: ChildServices,
  parent: ParentSession,
  { request, turn, signal }: Spawn,
): Promise<ChildResult> {
  const { options } = shared;
  const { projectPath } = parent.journal.state();
  const definition = await definitionOf(options, projectPath, request.kind);
  const plan = await planOf(shared, parent, { asked: request, turn, definition });
  const begun = await begin(shared, parent, { request, plan, turn, signal });
  try {
    return await runChild(shared, parent, { ...begun, text: request.task, plan, turn, signal });
  } finally {
    begun.leave();
  }
}

async function goOn(
  shared: ChildServices,
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
  const { access, kind, model, tools, maxUsd, maxSteps = null } = child;
  const definition = await definitionOf(options, parent.journal.state().projectPath, kind);
  const asked = { access, kind, model, tools, maxSteps, maxUsd };
  const plan = await planOf(shared, parent, { asked, turn, definition });
  const leave = await shared.admission.admit(parent.journal.sessionId, { isNew: false, signal });
  try {
    await parent.journal.append(startedEvent(child, { plan, turn, task: text }));
    return await runChild(shared, parent, { sessionId: child.sessionId, text, plan, turn, signal });
  } finally {
    leave();
  }
}

async function definitionOf(
  { userFiles }: ChildOptions,
  projectPath: string | null,
  kind: string | null,
): Promise<AgentDefinition | null> {
  if (kind === null) return null;
  const { found } = await userFiles.agentKinds(projectPath);
  const definition = found.find(({ name }) => name === kind);
  if (definition !== undefined) return definition;
  const names = found.map(({ name }) => name);
  throw new AppError('not-found', `There is no kind of agent "${kind}".`, {
    hint: names.length === 0 ? 'Leave "kind" out.' : `There are: ${names.join(', ')}.`,
  });
}

async function planOf(
  { options }: ChildServices,
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
  const settings = settingsForProject(options.settings(), projectOf(options, parent.journal.state()));
  const never = new AbortController().signal;
  return planChild(asked, turn, {
    settings,
    definition,
    modelInfo: (id) => options.agent.models.info(id, never),
  });
}

/** Creates the child's session, and records it in its parent. */
async function begin(
  shared: ChildServices,
  parent: ParentSession,
  { request, plan, turn, signal }: Spawn & { readonly plan: ChildPlan },
): Promise<{ readonly sessionId: string; readonly leave: () => void }> {
  const { journal } = parent;
  const { workspace, projectPath, project = null } = journal.state();
  if (workspace === null) throw new AppError('log-damaged', 'The log does not name the workspace of this session.');
  let sessionId = '';
  const leave = await shared.admission.admit(journal.sessionId, { isNew: true, signal }, async ({ rootId, depth }) => {
    const name = `agent-${(journal.state().children?.length ?? 0) + 1}`;
    const by = { sessionId: journal.sessionId, toolCallId: turn.toolCallId, name };
    const isReading = plan.access === 'read-only';
    sessionId = await shared.host.create(
      {
        projectPath,
        ...(project === null ? {} : { project }),
        sourcePath: workspace.path,
        workspace: isReading ? 'in-place' : 'copy',
        sandbox: isReading ? 'read-only' : 'container',
        title: firstLine(`${name}: ${request.task}`),
        tree: { rootId, depth: depth + 1, by },
        ...(turn.fenced.length === 0 ? {} : { fenced: [...turn.fenced] }),
      },
      signal,
    );
    const { kind, model, tools, maxSteps } = request;
    const most = maxSteps === null ? {} : { maxSteps };
    const child = { sessionId, name, access: plan.access, kind, model, tools, ...most };
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
    maxSteps,
  }: Pick<ChildState, 'sessionId' | 'name' | 'access' | 'kind' | 'model' | 'tools' | 'maxSteps'>,
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
    ...(maxSteps === undefined ? {} : { maxSteps }),
  } as const;
}
