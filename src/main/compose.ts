import { join } from 'node:path';
import { valueOf } from '@shared/errors.ts';
import type { AgentConfig } from './agent/turn/agent-dependencies.ts';
import { createModelParts, type ModelParts, type ModelPartsConfig } from './compose-models.ts';
import { createMemoryParts, createSkillParts } from './compose-skills.ts';
import { createComparingParts } from './compose-calibrations.ts';
import { createLanguageServers } from './language-servers/language-servers.ts';
import { createChosenFolders, createKnowledgeParts, hiddenFinder } from './compose-folders.ts';
import { createRecordParts, createPlaceParts, createProjectParts } from './compose-project.ts';
import { createSandboxParts, createSymbolParts, projectMoves } from './compose-project.ts';
import { createToolParts } from './compose-tools.ts';
import { createWebParts } from './compose-web.ts';
import { createEndpointParts } from './compose-endpoint.ts';
import { createMachineProbe } from './models/machine/hardware.ts';
import { createPowerMeter, type PowerMeter } from './models/machine/power-meter.ts';
import { createDocumentCommands } from './documents/commands.ts';
import { createGitCommands } from './git/commands.ts';
import { createHomeCommands } from './home/commands.ts';
import { sleep } from './lib/async/abort.ts';
import { clockNow } from './lib/async/clock.ts';
import { sleptTime } from './lib/async/slept-time.ts';
import { cleanDiagnostics, orNoted } from './lib/log.ts';
import { recordSends, sentFolder, type SendRecord } from './lib/net/record-of-sends.ts';
import { createHostPrograms } from './lib/programs/host-programs.ts';
import { findNode } from './lib/programs/platform-files.ts';
import { createModelCommands } from './models/commands.ts';
import { createLearnedWindows } from './models/model-servers.ts';
import { createMoneyCommands } from './money/commands.ts';
import { createHomeMoney, type HomeMoney } from './money/home-money.ts';
import type { AvailableModels } from './models/available-models.ts';
import { createRuleFiles } from './safety/rule-files.ts';
import { createProjectCommands } from './projects/commands.ts';
import { createRoutingCommands } from './routing/commands.ts';
import { monthSpent } from './routing/record/pace-of-month.ts';
import { createRouteRecord, versionOf } from './routing/record/route-record.ts';
import { createRuleCommands } from './safety/commands.ts';
import { createReceiptCommands } from './safety/receipt/commands.ts';
import { createKeyCommands } from './safety/keys/commands.ts';
import { knownSecrets } from './safety/keys/known-secrets.ts';
import { createSessionRules } from './safety/rules/session-rules.ts';
import { createHiddenValues } from './safety/hidden-values.ts';
import { createSandboxCommands } from './sandbox/commands.ts';
import { recoverChanges } from './agent/changes/recover-changes.ts';
import type { SandboxFactory } from './sandbox/sandbox-factory.ts';
import { prepareWorkspace } from './sandbox/workspace/prepare-workspace.ts';
import { hostCommands } from './server/commands.ts';
import type { Handlers } from './server/handlers.ts';
import { createAttachmentCommands } from './sessions/attachments/commands.ts';
import { type AttachmentsOptions, createMessageAttachments } from './sessions/attachments/message-attachments.ts';
import { createBlobs } from './sessions/blobs/blob-store.ts';
import { createChangeCommands } from './sessions/changes/commands.ts';
import { createSessionCommands } from './sessions/commands.ts';
import { createCapsuleCommands } from './sessions/library/capsule/commands.ts';
import { createCalibrationCommands } from './sessions/calibrations/commands.ts';
import { createComparisonCommands } from './sessions/comparisons/commands.ts';
import { createHistoryCommands } from './sessions/history/commands.ts';
import { readPrograms } from './sessions/history/read-programs.ts';
import { createLibraryCommands } from './sessions/library/commands.ts';
import { finishMoves } from './sessions/library/move-talks.ts';
import { sessionFolders } from './sessions/library/session-list-entry.ts';
import type { OpenSessions } from './sessions/open/open-sessions.ts';
import { createOpenSessions } from './sessions/open/open-sessions.ts';
import { createRedactor } from './sessions/log/redactor.ts';
import { createSearchIndex } from './sessions/search/session-search-index.ts';
import { createSessionStore, type CutOff } from './sessions/store/session-store.ts';
import { createAgentFiles } from './settings/agent-files.ts';
import { createAssistantFiles } from './settings/assistant-files.ts';
import { createTemplateCommands } from './settings/template-files.ts';
import { createSettingsCommands } from './settings/commands.ts';
import { settingsForProject } from './settings/settings-for-project.ts';
import { openSettings } from './settings/settings-store.ts';
import { turnOptions } from './settings/turn-options.ts';
import { createToolCommands } from './tools/commands.ts';
import { createOwnToolCommands } from './tools/own/commands.ts';
import { discoverTools } from './tools/registry.ts';
import { createWebCommands } from './tools/web/commands.ts';

/** What a host says about where it runs. Everything else is found here. */
export interface ComposeConfig {
  readonly home: string;
  readonly cache: string;
  readonly version: string;
  /** Called with a sentence for the user about something slow, such as making the sandbox image. */
  readonly onNotice: (text: string) => void;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Switches that measure the parts of recipes. Users get the defaults. */
  readonly recipe?: Partial<AgentConfig['recipe']>;
  /** Replaces the real sandbox, for tests and benchmarks of the engine. */
  readonly startSandbox?: SandboxFactory;
  /** For benchmarks: a wrapper around each provider, and the clock that goes with it. */
  readonly wrapProvider?: ModelPartsConfig['wrapProvider'];
  readonly now?: () => number;
  /** For benchmarks: which addresses count as this machine. */
  readonly counting?: Parameters<typeof recordSends>[1];
  /** For benchmarks: what a turn does not know of its project, asked when it begins. */
  readonly without?: Parameters<typeof createProjectParts>[1]['without'];
}

const recipeDefaults: AgentConfig['recipe'] = {
  mechanicalChanges: true,
  agreement: true,
  locate: { coverage: true },
  seed: 1,
};

/** The core as hosts use it: the handlers of all commands, and how its work ends. */
export interface Core {
  readonly handlers: Handlers;
  /** The number of running turns in all sessions. */
  readonly runningTurns: () => number;
  /** Resolves when no turn runs. */
  readonly idle: () => Promise<void>;
  /** Cancels what runs and closes every process, container and file. Safe to call twice. */
  readonly dispose: () => Promise<void>;
}

/** The only wiring, from a host's config to a usable core. Starts no process by itself; processes start when needed. */
export async function compose(config: ComposeConfig): Promise<Core> {
  // Before anything that could connect.
  const sends = recordSends(sentFolder(config.home), config.counting);
  const parts = await createParts(config);
  const { sessions, comparisons, calibrations } = parts;
  return {
    handlers: parts.models.refusingUnknown(createHandlers(config, { ...parts, sends })),
    // Between two runs of a comparison no turn runs, but the core is still at work.
    runningTurns: () =>
      Math.max(sessions.workFolders().length, comparisons.running(), calibrations.running(), parts.endpoint.running()),
    idle: async () => {
      await calibrations.idle();
      await comparisons.idle();
      await sessions.idle();
    },
    dispose: async () => {
      await calibrations.dispose();
      await comparisons.dispose();
      await sessions.dispose();
      await parts.disposeTools();
      await parts.endpoint.dispose();
      await parts.models.dispose();
      await parts.money.dispose();
      await parts.index.close();
      parts.disposeSymbols();
      parts.keys.dispose();
      await parts.disposeEngine();
      sends.close();
    },
  };
}

/** The commands of each subject. A command without a handler is a type error here. */
function createHandlers(config: ComposeConfig, parts: Parts): Handlers {
  const { settings, keys, models, rules, env } = parts;
  return {
    ...createHomeCommands({
      ...config,
      env,
      licenses: parts.files.licenses,
      settings: () => settings.current(),
      cleanEngine: parts.preparations.clean,
      listKeys: keys.list,
      models,
      ...parts.setupTools,
      trials: { listModels: models.list, testQuestion: parts.endpoint.testQuestion, ...parts.setupTools },
      listRules: () => rules.files(null),
      listFolders: () => sessionFolders(parts.store),
      searchModelProblem: parts.texts.problem,
    }),
    sessions: {
      ...createSessionCommands(parts),
      ...createLibraryCommands({ ...config, ...parts, prepareWorkspace }),
      ...createHistoryCommands({ ...parts, settings: () => settings.current() }),
    },
    attachments: createAttachmentCommands(parts.attachments),
    changes: createChangeCommands(parts.sessions, parts.record.learn),
    ...createModelCommands(parts),
    sandboxes: createSandboxCommands(parts),
    keys: createKeyCommands(keys),
    comparisons: createComparisonCommands(parts.comparisons, { ...config, ...parts, modelInfo: models.info }),
    capsules: createCapsuleCommands({
      ...config,
      ...parts,
      settings: () => settings.current(),
      hiddenIn: hiddenFinder(config, parts),
      modelInfo: models.info,
    }),
    calibrations: createCalibrationCommands(parts.calibrations),
    ...createMoneyCommands({ ...parts.money, prices: parts.prices }),
    receipts: createReceiptCommands({ ...config, ...parts }),
    routing: createRoutingCommands({
      record: parts.record,
      now: parts.now,
      options: (projectPath, run) => turnOptions(settingsForProject(settings.current(), projectPath), run),
      modelInfo: parts.models.info,
    }),
    rules: createRuleCommands({
      files: rules,
      settings: () => settings.current(),
      approve: (approved) => settings.save('rules.approved', approved),
    }),
    tools: createToolCommands(parts.toolCommands),
    ownTools: createOwnToolCommands(parts.ownToolCommands),
    web: createWebCommands({ ...parts.webCommands, definitions: discoverTools() }),
    settings: createSettingsCommands(settings, { searchModelProblem: parts.texts.problem }),
    templates: createTemplateCommands(config.home, parts.skills.templates, parts.prompts),
    assistants: parts.assistants.handlers,
    skills: parts.skills.commands,
    memory: createMemoryParts(config.home, parts),
    projects: createProjectCommands({ ...parts, homePath: config.home, moveWork: projectMoves(config.home, parts) }),
    ...createDocumentCommands(parts.documents, parts.knowledge),
    git: createGitCommands({ ...parts, ...parts.gitAccess }),
    endpoint: parts.endpoint.handlers,
    host: hostCommands,
  };
}

type Parts = Awaited<ReturnType<typeof createParts>> & { readonly sends: SendRecord };

type Base = Awaited<ReturnType<typeof createBase>>;

/** A search answers with what it has after this long, and continues when it is asked again. */
const searchBudgetMs = 700;

/** A server that does not say by then which files a model has does not hold up a turn. */
const versionMs = 1_500;

/** What everything else needs: the settings, the logs with their blobs, and the redactor of secrets. */
async function createBase(config: ComposeConfig) {
  const env = config.env ?? process.env;
  const now = config.now ?? clockNow;
  const files = findFiles();
  const settings = valueOf(await openSettings(config.home));
  const blobs = createBlobs(join(config.home, 'blobs'));
  const hidden = createHiddenValues();
  const redactor = createRedactor(knownSecrets(settings.current(), env), hidden.mask);
  cleanDiagnostics((text) => redactor.text(text));
  const kept = { appVersion: config.version, blobs, redactor, now };
  const rules = createRuleFiles({ home: config.home, approved: () => settings.current().rules.approved });
  const recovery = {
    blobs,
    homePath: config.home,
    settings: () => settings.current().sandbox,
    masks: async (projectPath: string | null) => (await rules.activeRules(projectPath)).masks,
  };
  const recover = (cut: CutOff) => recoverChanges(recovery, cut);
  const store = createSessionStore({ ...kept, folder: join(config.home, 'sessions'), recover });
  const bin = createSessionStore({ ...kept, folder: join(config.home, 'bin') });
  await finishMoves({ home: config.home, store, bin });
  const clientStore = createSessionStore({ ...kept, folder: join(config.home, 'endpoint') });
  const index = createSearchIndex({
    path: join(config.home, 'search.sqlite'),
    logs: () => store.logFiles(),
    budgetMs: searchBudgetMs,
    now: () => performance.now(),
  });
  const assistants = createAssistantFiles(config.home);
  const skills = createSkillParts({ home: config.home, env, settings });
  const { instructions } = skills;
  const places = createRecordParts(config.home, { env, settings, now, store, skills, assistants });
  cleanLater(blobs, places.book);
  const programs = createHostPrograms({ home: config.home, env, projects: () => sessionFolders(store) });
  const probe = createMachineProbe(programs);
  return {
    env,
    now,
    files,
    programs,
    probe,
    settings,
    rules,
    instructions,
    skills,
    blobs,
    hidden,
    redactor,
    store,
    bin,
    clientStore,
    assistants,
    userFiles: {
      assistant: assistants.read,
      agentKinds: createAgentFiles({ home: config.home, ofProject: instructions.definitions }).definitions,
      rules: rules.activeRules,
      instructions,
      skills: skills.homeSkills,
      memory: skills.memory,
      setup: places.setup,
      projectInstructions: places.book.instructions,
    },
    ...places,
    index,
    languageServers: createLanguageServers(),
    chosenFolders: createChosenFolders(config, { settings, rules }),
  };
}

async function createParts(config: ComposeConfig) {
  const base = await createBase(config);
  const { now, settings, blobs, redactor, store, probe, chosenFolders } = base;
  const { llama, ...modelParts } = createModelParts(config, base);
  const { models } = modelParts;
  const { startSandbox, ...sandboxParts } = createSandboxParts(config, base);
  const { symbols, ...symbolParts } = createSymbolParts(config, base);
  const { web, webCommands, webTools, readDocument, drawPage, gitAccess } = createWebParts(base, modelParts.keys);
  const programsOf = async (id: string) => readPrograms(await store.view(id));
  const toolBase = { ...base, web, webTools, drawPage, programsOf };
  const { engine, connected, library, ...toolParts } = createToolParts(config, toolBase, modelParts, startSandbox);
  const knowledge = createKnowledgeParts(config, { ...base, ...toolParts, ...webTools, ...web, ...engine.tools });
  const money = createHomeMoney({ ...base, home: config.home, endpoint: base.clientStore, modelInfo: models.info });
  const record = createRecord(config, models, { now, money });
  const calls = callParts(modelParts, createPowerMeter({ settings: () => settings.current().energy, now, probe }));
  const hiddenIn = hiddenFinder(config, base);
  const stateOf = async (sessionId: string) =>
    sessions.openJournal(sessionId)?.state() ?? (await store.view(sessionId)).state;
  const attachments = createAttachmentParts(base, { stateOf, readDocument, drawPage, library, hiddenIn, models });
  const sessions: OpenSessions = createOpenSessions({
    homePath: config.home,
    store,
    bin: base.bin,
    settings: () => settings.current(),
    saveNetworkProjects: (projects) => settings.set('network.projects', projects),
    userFiles: base.userFiles,
    secrets: { hideKnown: (text) => redactor.text(text), hidden: base.hidden },
    workspaces: { prepare: prepareWorkspace, startSandbox, runGit: gitAccess.runGit, onProgress: config.onNotice },
    gather: attachments.gather,
    agent: {
      ...engine,
      project: { ...createProjectParts(base, config), chosenFolders, knowledgeOf: knowledge.of },
      ...calls,
    },
    recipeSettings: { ...recipeDefaults, ...config.recipe },
    symbols,
    connected,
    record,
    budget: money.budget,
  });
  const asking = { ...calls, money, record, list: modelParts.models.list };
  const { endpoint, askJudge } = createEndpointParts(config.home, base, asking);
  const comparing = createComparingParts(config, base, {
    ...asking,
    sessions,
    modelInfo: modelParts.models.info,
    askJudge,
    startSandbox,
    symbols,
    runGit: gitAccess.runGit,
    runningTurns: () => sessions.workFolders().length + endpoint.running(),
  });
  return {
    ...base,
    ...modelParts,
    ...sandboxParts,
    ...symbolParts,
    money,
    endpoint,
    record,
    records: async () => settings.current().routing.numbers.priors ?? record.priors(),
    attachments,
    knowledge,
    documents: createPlaceParts({ stateOf, hiddenIn, chosenFolders, settings, blobs, readDocument, drawPage }),
    sessions,
    ...comparing,
    ...toolParts,
    webCommands,
    gitAccess,
    engine,
    disposeEngine: () => llama.dispose(),
  };
}

function createAttachmentParts(
  { settings, rules, blobs, redactor }: Base,
  {
    models,
    ...means
  }: Omit<AttachmentsOptions, 'blobs' | 'redact' | 'fences' | 'preview'> & {
    readonly models: AvailableModels;
  },
) {
  return createMessageAttachments({
    ...means,
    blobs,
    redact: (text) => redactor.text(text),
    fences: (projectPath) =>
      createSessionRules({ rules: rules.activeRules, settings: () => settings.current() }, projectPath).fences(),
    preview: { models, settings: () => settings.current() },
  });
}

function createRecord(
  { home }: ComposeConfig,
  models: Pick<AvailableModels, 'info'>,
  { now, money }: { readonly now: () => number; readonly money: HomeMoney },
) {
  return createRouteRecord({
    home,
    now,
    version: (id) => models.info(id, AbortSignal.timeout(versionMs)).then(versionOf, () => ''),
    month: async () => monthSpent(await money.caps.show(null).catch(orNoted('The month was not added up', []))),
  });
}

/** What a model call needs, whoever makes it. */
function callParts({ models, ease }: Pick<ModelParts, 'models' | 'ease'>, meter: PowerMeter) {
  const windows = createLearnedWindows(models.info);
  return {
    models: { ...windows, provider: models.provider },
    machine: { meter, ease, sleptMs: sleptTime.wallMs, delay: sleep },
  };
}

/** When to scan the whole folder: not while a user waits for the start, and not during a short command. */
const cleanAfterMs = 20_000;

function cleanLater(...all: readonly { readonly clean: () => Promise<unknown> }[]): void {
  for (const { clean } of all)
    setTimeout(() => void clean().catch(orNoted('Left-over files stay', null)), cleanAfterMs).unref();
}

/** Where the built files are: the entry is two folders below the root, in `out/main` as in `src/main`. */
function findFiles(): {
  readonly worker: string;
  readonly keyProcess: string;
  readonly serverGuard: string;
  readonly documentProcess: string;
  readonly symbolsProcess: string;
  readonly gitProcess: string;
  readonly resources: string;
  readonly imageScript: string;
  readonly node: string;
  readonly licenses: { readonly packed: string | null; readonly notice: string };
} {
  // In a packed app, files that other programs read are beside its archive.
  const root = join(import.meta.dirname, '..', '..').replace(/([\\/]app\.asar)$/u, '$1.unpacked');
  return {
    worker: join(root, 'out', 'main', 'llama-worker.cjs'),
    keyProcess: join(root, 'out', 'main', 'key-process.cjs'),
    serverGuard: join(root, 'out', 'main', 'server-guard.cjs'),
    documentProcess: join(root, 'out', 'main', 'document-process.cjs'),
    symbolsProcess: join(root, 'out', 'main', 'symbols-process.cjs'),
    gitProcess: join(root, 'out', 'main', 'git-process.cjs'),
    resources: join(root, 'resources'),
    imageScript: join(root, 'scripts', 'setup', 'sandbox-image.mjs'),
    node: findNode(root),
    // A packed app has the texts beside its program.
    licenses: {
      packed: root.endsWith('.asar.unpacked') ? join(root, '..', '..', 'LICENSES.txt') : null,
      notice: join(root, 'NOTICE'),
    },
  };
}
