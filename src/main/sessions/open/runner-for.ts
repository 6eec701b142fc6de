import { join } from 'node:path';
import { valueOf } from '@shared/errors.ts';
import { createBaselineFile } from '../../agent/changes/baseline-file.ts';
import type { AgentDependencies } from '../../agent/turn/agent-dependencies.ts';
import type { LiveJournal } from '../journal/live-journal.ts';
import type { SessionRunner } from '../../agent/turn/session-runner.ts';
import { createSessionRunner } from '../../agent/turn/session-runner.ts';
import type { TurnMode } from '../../agent/turn/turn.ts';
import { childAbort } from '../../lib/async/child-abort.ts';
import { realPathOf } from '../../lib/files/host-folder.ts';
import { projectKey } from '../../lib/files/project-key.ts';
import type { SessionSkills } from '../../skills/session-skills.ts';
import { createProjectMemory } from '../../memory/project-memory.ts';
import { withTestCommand } from '../../projects/facts/own-test-command.ts';
import { createSessionSkills } from '../../skills/session-skills.ts';
import { createSessionInstructions } from '../../safety/instructions/session-instructions.ts';
import { createSessionNetwork } from '../../safety/network/session-network.ts';
import { createSessionRules } from '../../safety/rules/session-rules.ts';
import { compileFences } from '@shared/safety/fences.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { ProjectSymbols } from '../../symbols/project-symbols.ts';
import type { FenceMemory, OtherSession } from '../../safety/fence-memory.ts';
import { createFenceMemory } from '../../safety/fence-memory.ts';
import { createLookAtFiles } from '../../safety/file-look.ts';
import { createSessionFences } from '../../safety/session-fences.ts';
import { isSecretFile } from '../../sandbox/workspace/secret-files.ts';
import { fencesInProject, folderOfKey, projectOf } from './session-project.ts';
import { baselinePath } from '../store/session-view.ts';
import { approverOf, budgetOf } from '../children/child-part.ts';
import type { OpenSession } from './open-session.ts';
import { sessionRepository } from './session-repository.ts';
import { currentMasks, sandboxRequest, noteSandbox } from './sandbox-request.ts';
import type { OpenSessionsOptions } from './session-options.ts';
import { createComputingPlace, lateSandbox, strongSandbox } from './start-session-sandbox.ts';
import { agentConfig } from './agent-config.ts';

/**
 * The runner of a session, with a sandbox that is strong enough for the task. Work without a container engine still
 * gets a runner, on a read-only sandbox. Its turn then ends with what is missing, and the log has that like any other
 * end.
 */
export async function runnerFor(
  options: OpenSessionsOptions,
  session: OpenSession,
  asked: { readonly mode: TurnMode; readonly signal: AbortSignal },
): Promise<SessionRunner> {
  // The caller of that start gets its error. This one tries again.
  if (session.starting !== null) await session.starting.runner.catch(() => undefined);
  const { runner, sandbox, madeWith } = session;
  const needsExecute = session.wanted === 'container' && asked.mode === 'work';
  const masks = JSON.stringify(await currentMasks(options, session.journal));
  const isSame =
    madeWith.project === projectOf(options, session.journal.state()) &&
    madeWith.masks === masks &&
    madeWith.computes === computesOf(options, session);
  const isEnough = sandbox !== null && isSame && (sandbox.tier !== 'read-only' || !needsExecute);
  if (runner !== null && (runner.isRunning() || isEnough)) return runner;
  const start = childAbort(asked.signal);
  const isChat = asked.mode === 'chat' && session.wanted === 'container';
  const starting = startRunner(options, session, { needsExecute, isChat }, start.signal);
  session.starting = { runner: starting, cancel: start.abort };
  try {
    return await starting;
  } finally {
    start.release();
    session.starting = null;
  }
}

async function startRunner(
  options: OpenSessionsOptions,
  session: OpenSession,
  { needsExecute, isChat }: { readonly needsExecute: boolean; readonly isChat: boolean },
  signal: AbortSignal,
): Promise<SessionRunner> {
  const { journal } = session;
  const { projectPath } = journal.state();
  const request = await sandboxRequest(options, session);
  const sandbox = isChat
    ? await lateSandbox(options, { journal, request }, signal)
    : valueOf(await strongSandbox(options.workspaces, { ...request, needsExecute }, signal));
  const { userFiles } = options;
  const rules = rulesOf(options, session);
  await session.runner?.dispose();
  await session.sandbox?.dispose();
  session.sandbox = sandbox;
  const project = projectOf(options, journal.state());
  const computes = computesOf(options, session);
  const before = session.madeWith.computing;
  session.madeWith = { project, masks: JSON.stringify(request.masks), computes, computing: null };
  await before?.dispose();
  if (computes && projectPath !== null)
    session.madeWith = { ...session.madeWith, computing: await createComputingPlace(options, request, signal) };
  // In a chat no container has started yet; its start is noted later.
  if (!isChat) await noteSandbox(options, journal, sandbox.description);
  const lookAtFiles = createLookAtFiles(await realPathOf(request.workspacePath), sandbox.workspacePath);
  session.fences = createSessionFences({
    settings: rules.fences,
    projectPath,
    projectFiles: sandbox.files,
    lookAtFiles,
    read: (fromSeq) => journal.read(fromSeq),
    sessionId: journal.sessionId,
    ...(projectPath === null ? {} : { memory: fenceMemoryOf(options, projectPath) }),
    isSecretFile,
    ...options.secrets,
  });
  await session.agents.settle();
  session.runner = createSessionRunner({
    ...options.agent,
    journal,
    sandbox,
    effects: { replaying: false, perform: (_id, run) => run() },
    tools: toolsOf(options, session, { project, workspacePath: request.workspacePath }),
    project: {
      ...options.agent.project,
      baselineFile: createBaselineFile(baselinePath(options.store.folderOf(journal.sessionId))),
      instructions: createSessionInstructions({
        project: userFiles.instructions,
        folder: projectPath ?? request.workspacePath,
        read: (fromSeq) => journal.read(fromSeq),
      }),
      ...keptParts(options, journal),
      skills: skillsOf(options, projectPath ?? request.workspacePath),
      routeRules: rules.places,
      lookAtFiles,
      repository: sessionRepository(options, { ...rules, workspacePath: request.workspacePath, projectPath }),
      symbols: symbolsOf(options, { request, sandbox, rules, projectPath }),
    },
    approver: approverOf(session),
    network: createSessionNetwork({
      rules: () => options.settings().network,
      saveProjects: options.saveNetworkProjects,
      projectPath,
      read: (fromSeq) => journal.read(fromSeq),
    }),
    budget: sessionBudget(options, session),
    fences: session.fences,
    config: agentConfig(options.settings(), options.recipeSettings),
  });
  return session.runner;
}

function toolsOf(
  options: OpenSessionsOptions,
  session: OpenSession,
  { project, workspacePath }: { readonly project: string | null; readonly workspacePath: string },
): AgentDependencies['tools'] {
  const { madeWith, journal } = session;
  const { computing } = madeWith;
  const { projectPath } = journal.state();
  return {
    ...options.agent.tools,
    connected: options.connected(project, workspacePath),
    agents: session.agents,
    programs: () => options.settings().programs,
    programReviewer: () => options.settings().programReviewer,
    // Never among the files of a project.
    computes: () => computesOf(options, session) && (projectPath === null || computing !== null),
    ...(computing === null ? {} : { computing: computing.sandbox }),
  };
}

/** A session that only reads starts no container. */
function computesOf({ settings }: Pick<OpenSessionsOptions, 'settings'>, { wanted }: OpenSession): boolean {
  return settings().calculate && wanted === 'container';
}

function sessionBudget(options: OpenSessionsOptions, session: OpenSession): ReturnType<typeof budgetOf> {
  const { journal, approver } = session;
  const project = (): string | null => projectOf(options, journal.state());
  return budgetOf(session, options.budget({ sessionId: journal.sessionId, project, ask: approver.askCap }));
}

/** A talk may be moved while it works. The rules and fences of its project hold from then on. */
function rulesOf(options: OpenSessionsOptions, session: OpenSession): ReturnType<typeof createSessionRules> {
  const { journal } = session;
  const project = (): string | null => projectOf(options, journal.state());
  const rules = () => options.userFiles.rules(folderOfKey(project()));
  const { projectPath } = journal.state();
  const { settings } = options;
  const { places, fences } = createSessionRules({ rules, settings }, projectPath, () => session.held?.rules);
  if (projectPath !== null) return { places, fences };
  return { places, fences: async () => fencesInProject(await fences(), project()) };
}

/** What the person keeps for the project outside it: its test command, and the memory. */
function keptParts(
  options: OpenSessionsOptions,
  journal: LiveJournal,
): Pick<AgentDependencies['project'], 'gatherFacts' | 'memory' | 'openChosenFolders' | 'knowledge'> {
  const { settings, userFiles } = options;
  const { setup } = userFiles;
  const { projectPath } = journal.state();
  const project = projectOf(options, journal.state());
  return {
    ...(project === null
      ? {}
      : {
          openChosenFolders: options.agent.project.chosenFolders(project),
          knowledge: options.agent.project.knowledgeOf(project),
        }),
    gatherFacts: withTestCommand(options.agent.project.gatherFacts, async () =>
      projectPath === null ? null : (await setup.show(projectPath)).testCommand,
    ),
    memory: createProjectMemory({
      files: userFiles.memory,
      projectPath: project,
      sessionId: journal.sessionId,
      mode: () => settings().memoryProposals,
      setup,
      read: () => journal.read(1),
      webTools: options.agent.tools.builtIn.flatMap(({ name, needs }) => (needs === 'web' ? [name] : [])),
      now: () => journal.now(),
    }),
  };
}

function skillsOf({ settings, userFiles }: OpenSessionsOptions, folder: string): SessionSkills {
  const { instructions, skills: home } = userFiles;
  return createSessionSkills({ instructions, folder, home, off: () => settings().skillsOff });
}

interface SymbolSubject {
  readonly request: { readonly workspacePath: string };
  readonly sandbox: Sandbox;
  readonly rules: Pick<ReturnType<typeof createSessionRules>, 'fences'>;
  readonly projectPath: string | null;
}

/** A file that a fence covers has no names here: a map would carry them into every call. */
function symbolsOf(
  { symbols }: OpenSessionsOptions,
  { request, sandbox, rules, projectPath }: SymbolSubject,
): ProjectSymbols | null {
  if (projectPath === null) return null;
  const isLeftOut = async (): Promise<(path: string) => boolean> => {
    const { ofPath } = compileFences({ settings: await rules.fences(), projectPath, isSecretFile });
    return (path) => ofPath(path) !== null;
  };
  return symbols({ project: request.workspacePath, files: sandbox.files, isLeftOut });
}

/** What other sessions of the project know about fenced content. */
export function fenceMemoryOf(
  { store, homePath }: Pick<OpenSessionsOptions, 'store' | 'homePath'>,
  projectPath: string,
): FenceMemory {
  return createFenceMemory(join(homePath, 'fences'), projectPath, async () => {
    const key = await projectKey(projectPath);
    const all = await store.list();
    const others = all.filter((one) => one.projectPath === key);
    return others.map(({ id, lastAt }): OtherSession => ({
      sessionId: id,
      lastAt,
      read: async function* () {
        yield* (await store.view(id)).read();
      },
    }));
  });
}
