import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SessionSummary } from '@shared/contract/contract.ts';
import { AppError, messageOf, valueOf } from '@shared/errors.ts';
import type { CoreApi } from './server/core-api.ts';
import type { AgentConfig } from './agent/turn/agent-dependencies.ts';
import { discoverRecipes } from './recipes/registry.ts';
import { buildRunResult } from './agent/turn/build-run-result.ts';
import type { ComparisonRunner } from './sessions/comparisons/run-comparisons.ts';
import { createComparisonRunner } from './sessions/comparisons/run-comparisons.ts';
import { checkSetup } from './home/check-setup.ts';
import { createInspectCommands } from './sessions/history/inspect-log.ts';
import { createSettingsCommands } from './settings/commands.ts';
import type { SessionLibrary } from './sessions/library/session-library.ts';
import { createSessionLibrary } from './sessions/library/session-library.ts';
import { toSessionSummary } from './sessions/library/session-list-entry.ts';
import { createModelCommands } from './models/commands.ts';
import type { ModelParts, ModelPartsConfig } from './compose-models.ts';
import { createModelParts } from './compose-models.ts';
import type { HomeMoney } from './money/home-money.ts';
import { createHomeMoney } from './money/home-money.ts';
import type { MessageAttachments } from './sessions/attachments/message-attachments.ts';
import { createMessageAttachments } from './sessions/attachments/message-attachments.ts';
import type { OpenSessions } from './sessions/open/open-sessions.ts';
import { createHistoryCommands } from './sessions/history/commands.ts';
import { createReplayCommand } from './sessions/history/replay-command.ts';
import { createOpenSessions } from './sessions/open/open-sessions.ts';
import { createLearnedPriors } from './routing/learned-priors.ts';
import { createRoutingSnapshotTaker } from './sessions/comparisons/routing-snapshot.ts';
import type { SandboxCommands } from './sandbox/commands.ts';
import { createChangeCommands } from './sessions/changes/commands.ts';
import { createSandboxCommands } from './sandbox/commands.ts';
import { sessionFolders } from './sessions/library/session-folders.ts';
import { createMachineProbe } from './models/machine/hardware.ts';
import { createPowerMeter } from './models/machine/power-meter.ts';
import { knownSecrets } from './safety/keys/known-secrets.ts';
import { sleep } from './lib/async/abort.ts';
import { createHostPrograms } from './lib/programs/host-programs.ts';
import type { Log } from './lib/log.ts';
import { silentLog } from './lib/log.ts';
import { gatherFacts } from './projects/facts/gather-project-facts.ts';
import { createRuleCommands, createSessionRules } from './safety/commands.ts';
import { createProjectInstructions } from './safety/instructions/project-instructions.ts';
import { createRuleFiles } from './safety/rule-files.ts';
import type { RuleFiles } from './safety/rule-files.ts';
import { createPreparationCommands, type PreparationCommands } from './projects/commands.ts';
import { createSandboxFactory } from './sandbox/sandbox-factory.ts';
import type { SandboxFactory } from './sandbox/sandbox-factory.ts';
import { prepareWorkspace } from './sandbox/workspace/prepare-workspace.ts';
import type { Blobs } from './sessions/blobs/blob-store.ts';
import { createBlobs } from './sessions/blobs/blob-store.ts';
import { createComparisonStore } from './sessions/comparisons/comparison-store.ts';
import { createRedactor } from './sessions/log/redactor.ts';
import type { SessionStore } from './sessions/store/session-store.ts';
import { createSessionStore } from './sessions/store/session-store.ts';
import type { SettingsStore } from './settings/settings-store.ts';
import { openSettings } from './settings/settings-store.ts';
import { builtInTools, discoverTools } from './tools/registry.ts';

/** What a host says about where it runs; everything else is found here. */
export interface ComposeConfig {
  readonly home: string;
  readonly cache: string;
  readonly version: string;
  /** A sentence for a person about something that takes its time (making the sandbox image). */
  readonly onNotice: (text: string) => void;
  readonly diagnostics?: Log;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Switches for measuring the parts of recipes; the defaults are what users get. */
  readonly recipe?: Partial<AgentConfig['recipe']>;
  /** In place of the real one, for tests and benches of the engine. */
  readonly startSandbox?: SandboxFactory;
  /** For benches: what stands between the agent and a provider, and the clock that goes with it. */
  readonly wrapProvider?: ModelPartsConfig['wrapProvider'];
  readonly now?: () => number;
}

const recipeDefaults: AgentConfig['recipe'] = {
  editForm: 'span',
  samples: 20,
  mechanicalChanges: true,
  repairTurn: true,
  judge: { agreement: true, mutants: true, overfitLint: true, rerun: true, varied: true },
  locate: { trace: true, coverage: true },
  seed: 1,
};

/** The only wiring: from where a host runs to a core that it can use. Starts no process by itself; those come with need. */
export async function compose(config: ComposeConfig): Promise<CoreApi> {
  const parts = await createParts(config);
  const { settings, models, sessions, store, blobs } = parts;
  return {
    info: { version: config.version, home: config.home, cache: config.cache },
    ...sessionCommands(parts),
    ...parts.library.commands,
    ...createInspectCommands({ store, blobs, rules: parts.rules, settings: () => settings.current() }),
    ...createHistoryCommands(sessions, store, blobs),
    replay: createReplayCommand(parts),
    ...createChangeCommands(sessions),
    ...createModelCommands(parts, sessions),
    listKeys: parts.keys.list,
    setKey: parts.keys.set,
    testKey: parts.keys.test,
    removeKey: parts.keys.remove,
    restoreKey: parts.keys.restore,
    ...parts.money.commands,
    ...parts.compare.commands,
    ...createRuleCommands({
      files: parts.rules,
      settings: () => settings.current(),
      approve: async (approved) => valueOf(await settings.set('rules.approved', approved)),
    }),
    ...createSettingsCommands({ home: config.home, env: parts.env, settings }),
    ...parts.preparations,
    doctor: (signal) =>
      checkSetup(
        {
          ...config,
          env: parts.env,
          settings: settings.current(),
          listKeys: parts.keys.list,
          listServers: models.servers,
          showModel: models.show,
          listRules: () => parts.rules.files(null),
        },
        signal,
      ),
    // Between two runs of a comparison no turn runs, and yet the core is at work.
    runningTurns: () => Math.max(sessions.running(), parts.compare.running()),
    idle: async () => {
      await parts.compare.idle();
      await sessions.idle();
    },
    dispose: async () => {
      await parts.compare.dispose();
      await sessions.dispose();
      await models.dispose();
      await parts.money.dispose();
      await parts.library.dispose();
      parts.keys.dispose();
      await parts.disposeEngine();
    },
  };
}

interface Parts extends Pick<ModelParts, 'plan' | 'keys' | 'models' | 'probed'> {
  readonly settings: SettingsStore;
  readonly rules: RuleFiles;
  readonly money: HomeMoney;
  readonly attachments: MessageAttachments;
  readonly sessions: OpenSessions;
  readonly compare: ComparisonRunner;
  readonly library: SessionLibrary;
  readonly store: SessionStore;
  readonly blobs: Blobs;
  readonly tools: ReturnType<ReturnType<typeof builtInTools>['list']>;
  readonly recipes: ReturnType<typeof discoverRecipes>;
  readonly preparations: PreparationCommands;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly disposeEngine: () => Promise<void>;
}

type Base = Awaited<ReturnType<typeof createBase>>;

/** What everything else stands on: the settings, the logs with their blobs, and what must never be in them. */
async function createBase(config: ComposeConfig) {
  const env = config.env ?? process.env;
  const now = config.now ?? Date.now;
  const log = config.diagnostics ?? silentLog;
  const files = findFiles();
  const settings = valueOf(await openSettings(config.home));
  const blobs = createBlobs(join(config.home, 'blobs'));
  cleanLater(blobs, log);
  const redactor = createRedactor(knownSecrets(settings.current(), env));
  const kept = { appVersion: config.version, blobs, redactor, now, diagnostics: log };
  const store = createSessionStore({ ...kept, folder: join(config.home, 'sessions') });
  const bin = createSessionStore({ ...kept, folder: join(config.home, 'bin') });
  const rules = createRuleFiles({ home: config.home, approved: () => settings.current().rules.approved });
  const instructions = createProjectInstructions(join(config.home, 'instructions.json'));
  const programs = createHostPrograms({ home: config.home, env, projects: () => sessionFolders(store) });
  const probe = createMachineProbe(programs);
  return { env, now, log, files, programs, probe, settings, rules, instructions, blobs, redactor, store, bin };
}

/** The way to sandboxes, and to the packages that projects need in them. */
function createSandboxParts(
  config: ComposeConfig,
  { env, files, programs, settings, rules, instructions, redactor, log }: Base,
) {
  const imageScript = existsSync(files.imageScript) ? { node: files.node, path: files.imageScript, programs } : null;
  const engineDeps = {
    homePath: config.home,
    resourcesPath: files.resources,
    imageScript,
    env,
    connection: () => settings.current().connection,
    learn: (secret: { readonly kind: string; readonly value: string }) => redactor.learn(secret),
    log,
  };
  const preparations = createPreparationCommands({
    ...engineDeps,
    cachePath: config.cache,
    settings: () => settings.current().sandbox,
    saveProjects: (projects) => settings.set('sandbox.projects', projects),
    masks: async (projectPath) => (await rules.activeRules(projectPath)).masks,
    onNotice: config.onNotice,
    instructions,
  });
  return { startSandbox: config.startSandbox ?? createSandboxFactory(engineDeps), preparations };
}

async function createParts(config: ComposeConfig): Promise<Parts> {
  const base = await createBase(config);
  const { env, now, settings, rules, blobs, redactor, store, bin, log, probe } = base;
  const { llama, plan, keys, models, probed } = createModelParts(config, base);
  const { startSandbox, preparations } = createSandboxParts(config, base);
  const tools = builtInTools(discoverTools(), { now }).list();
  const recipes = discoverRecipes();
  const { home } = config;
  const money = createHomeMoney({ home, store, bin, settings, now, modelInfo: models.info });
  const meter = createPowerMeter({ settings: () => settings.current().energy, now, probe });
  const attachments = createMessageAttachments({
    blobs,
    redact: (text) => redactor.text(text),
    fences: (projectPath) =>
      createSessionRules({ rules: rules.activeRules, settings: () => settings.current() }, projectPath).fences(),
    stateOf: async (sessionId) => sessions.openJournal(sessionId)?.state() ?? (await store.view(sessionId)).state,
  });
  const priors = createLearnedPriors(join(home, 'route-priors.json'));
  const sessions: OpenSessions = createOpenSessions({
    gather: attachments.gather,
    store,
    settings: () => settings.current(),
    priors,
    saveNetworkProjects: (projects) => settings.set('network.projects', projects),
    startSandbox,
    prepareWorkspace,
    homePath: home,
    onNotice: config.onNotice,
    budget: money.budget,
    hideKnown: (text) => redactor.text(text),
    rules: rules.activeRules,
    instructions: base.instructions,
    agent: { tools, recipes, gatherFacts, modelInfo: models.info, provider: models.provider, meter, delay: sleep },
    recipeSettings: { ...recipeDefaults, ...config.recipe },
  });
  const compare = createComparisonRunner({
    home,
    store: createComparisonStore(join(home, 'comparisons')),
    sessionStore: store,
    sessions,
    settings: () => settings.current(),
    prepareWorkspace,
    reference: money.reference,
    routes: createRoutingSnapshotTaker({ settings: () => settings.current(), rules: rules.activeRules, priors }),
    now,
  });
  const library = createSessionLibrary({
    home,
    version: config.version,
    store,
    bin,
    sessions,
    blobs,
    prepareWorkspace,
    now,
    diagnostics: log,
  });
  const own = { settings, rules, preparations, plan, models, probed, keys, money, attachments, sessions, compare };
  return { ...own, library, store, blobs, tools, recipes, env, disposeEngine: () => llama.dispose() };
}

/** A look through the whole folder: not while anybody waits for a start, nor for a command that is soon over. */
const cleanAfterMs = 20_000;

function cleanLater(blobs: Blobs, log: Log): void {
  const clean = (): void =>
    void blobs.clean().catch((error: unknown) => log.warn(`Left-over files stay: ${messageOf(error)}`));
  setTimeout(clean, cleanAfterMs).unref();
}

/** Where the built files lie: the entry is two folders below the root, in `out/main` as in `src/main`. */
function findFiles(): {
  readonly worker: string;
  readonly keyProcess: string;
  readonly serverGuard: string;
  readonly resources: string;
  readonly imageScript: string;
  readonly node: string;
} {
  // Of a packed app, what other programs are to read lies beside its archive.
  const root = join(import.meta.dirname, '..', '..').replace(/([\\/]app\.asar)$/u, '$1.unpacked');
  return {
    worker: join(root, 'out', 'main', 'llama-worker.cjs'),
    keyProcess: join(root, 'out', 'main', 'key-process.cjs'),
    serverGuard: join(root, 'out', 'main', 'server-guard.cjs'),
    resources: join(root, 'resources'),
    imageScript: join(root, 'scripts', 'setup', 'sandbox-image.mjs'),
    node: findNode(root),
  };
}

/** The program for the engine's process: this one where it is Node, else the Node that came by package. */
function findNode(root: string): string {
  if (process.versions.electron === undefined) return process.execPath;
  const names = [`node-${process.platform}-${process.arch}`, 'node'];
  const packaged = names.map((name) =>
    join(root, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node'),
  );
  return packaged.find((path) => existsSync(path)) ?? join(dirname(process.execPath), 'node');
}

type SessionCommands = SandboxCommands &
  Pick<
    CoreApi,
    | 'createSession'
    | 'send'
    | 'editPlan'
    | keyof MessageAttachments['commands']
    | 'subscribe'
    | 'cancel'
    | 'approve'
    | 'answerCap'
    | 'listSessions'
    | 'findSession'
    | 'showSession'
    | 'result'
  >;

function sessionCommands({ sessions, store, money, attachments }: Parts): SessionCommands {
  const list = async (): Promise<readonly SessionSummary[]> =>
    (await store.list()).map((summary) => toSessionSummary(summary, statusOf(sessions, summary.id)));
  return {
    ...attachments.commands,
    ...createSandboxCommands({ sessions, store }),
    createSession: sessions.create,
    send: async (sessionId, text, options, attachments) => {
      const { messageId, queued } = await sessions.send(sessionId, text, options, attachments);
      return { messageId, queued };
    },
    subscribe: async (sessionId, fromSeq, listener) => {
      const journal = await sessions.journal(sessionId);
      return journal.subscribe(fromSeq, (push) => listener(push.type === 'snapshot' ? { type: 'snapshot' } : push));
    },
    editPlan: sessions.editPlan,
    cancel: sessions.cancel,
    approve: async (sessionId, approvalId, answer, scope) => sessions.approve(sessionId, approvalId, answer, scope),
    answerCap: async (sessionId, capId, decision) => sessions.answerCap(sessionId, capId, decision),
    listSessions: list,
    findSession: async (text) => {
      const id = await store.find(text);
      const found = (await list()).find((summary) => summary.sessionId === id);
      if (found === undefined) throw new AppError('not-found', `There is no session "${text}".`);
      return found;
    },
    showSession: async (sessionId) => {
      const journal = sessions.openJournal(sessionId);
      if (journal !== null) return { state: journal.state(), money: journal.money() };
      const { state, money } = await store.view(sessionId);
      return { state, money };
    },
    result: async (sessionId) => {
      const runner = sessions.runner(sessionId);
      await runner?.idle();
      const failure = runner?.failure() ?? null;
      if (failure !== null) throw failure;
      const state = sessions.openJournal(sessionId)?.state() ?? (await store.view(sessionId)).state;
      const used = state.steps.findLast(({ where }) => where === 'cloud')?.model ?? null;
      const result = buildRunResult(state, await money.reference(used));
      if (result === null) throw new AppError('not-found', 'No turn of this session has ended yet.');
      return result;
    },
  };
}

/** A turn that runs may wait for a person. */
function statusOf(sessions: OpenSessions, sessionId: string): SessionSummary['status'] {
  if (sessions.runner(sessionId)?.isRunning() !== true) return 'idle';
  const state = sessions.openJournal(sessionId)?.state();
  const isWaiting = state !== undefined && (state.approvals.length > 0 || state.cap !== null);
  return isWaiting ? 'waiting' : 'running';
}
