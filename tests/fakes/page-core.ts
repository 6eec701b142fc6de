import type { Counterfactual, Elsewhere, Interval } from '../../src/shared/money/counterfactual.ts';
import { AppError } from '../../src/shared/errors.ts';
import { monthCosts } from '../../src/shared/money/month-costs.ts';
import { noSplitWorkload } from '../../src/shared/money/workload.ts';
import type { SearchHit } from '../../src/shared/contract/search-answer.ts';
import type { Manifest } from '@shared/session/call-manifest.ts';
import type { KeptCard } from '@shared/models/probe-card.ts';
import type { MemoryPlanAnswer } from '@shared/models/memory-estimate.ts';
import type { PreparationPlan } from '@shared/projects/project-preparation.ts';
import type { NetworkHistory, SandboxView } from '@shared/sandbox/sandbox-view.ts';
import type { ProjectImage } from '@shared/sandbox/sandbox-images.ts';
import type { CostRow, EnergyTotals } from '@shared/money/cost-report.ts';
import { addTotals, energyOf, noCosts } from '@shared/money/cost-report.ts';
import type { RuleFile } from '@shared/rules/rule-report.ts';
import type { InstructionFile } from '@shared/safety/instruction-files.ts';
import { buildRunResult } from '../../src/main/agent/turn/build-run-result.ts';
import { organizeSessions } from '../../src/main/sessions/library/organize-sessions.ts';
import type { NewEvent } from '@shared/events/events.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { progressStream } from '../../src/main/lib/async/push-queue.ts';
import type { SomeHandlers } from './fake-handlers.ts';
import { settingsHandlers } from './page-settings.ts';
import type { Note } from './page-settings.ts';
import { gitHandlers } from './page-git.ts';
import { priceHandlers } from './page-prices.ts';
import { noRules, ruleHandlers } from './page-rules.ts';
import type { PageTools } from './page-tools.ts';
import { createPageTools } from './page-tools.ts';
import { templateHandlers } from './page-templates.ts';
import { receiptOf } from './receipt-scene.ts';
import { createScriptedCore } from './scripted-core.ts';
import type { ScriptedCore } from './scripted-core.ts';
import type {
  CallDetail,
  ChangedFile,
  ChangeOutcome,
  RestoreOutcome,
  HunkChoice,
  SessionBranch,
  SessionSummary,
  ShownFile,
} from '@shared/contract/sessions-contract.ts';
import type { Finding, SetupTrial } from '@shared/contract/home-contract.ts';
import type { Expectation } from '@shared/routing/outcomes.ts';
import { routingHandlers, unknownWays } from './made-outcomes.ts';
import type { Strain } from '@shared/models/machine-strain.ts';
import { askAgainHandlers } from './asked-again-scene.ts';
import type { EndpointClient } from '@shared/contract/endpoint-contract.ts';
import type { KeyReport, KeyTest } from '@shared/contract/keys-contract.ts';
import type { FoundPrompt } from '@shared/tools/found-offers.ts';
import type { ChatListing } from '@shared/attachments/chat-listing.ts';
import type { Assistant, BrokenAssistant } from '@shared/session/assistants.ts';
import { assistantFile, linesOfAssistant, parseAssistant } from '../../src/shared/session/assistants.ts';
import type { KnowledgeFile } from '@shared/documents/knowledge.ts';
import type { MemoryLine } from '@shared/projects/memory-line.ts';
import type { SkillReport } from '@shared/skills/skill-report.ts';
import type { ReviewComment } from '@shared/git/request-plan.ts';
import type { PromptTemplate } from '@shared/session/prompt-templates.ts';
import type { ModelSuggestions } from '@shared/models/model-suggestion.ts';
import type { EngineCardsReport, ModelEntry } from '@shared/contract/models-contract.ts';

export interface PageCore extends ScriptedCore {
  /** The calls that the page made, by name, with their arguments. */
  readonly asked: { readonly name: string; readonly args: readonly unknown[] }[];
  readonly tools: PageTools;
  readonly changes: Map<string, readonly ChangedFile[]>;
  /** What a restore does, whatever its checkpoint. */
  restore: Omit<RestoreOutcome, 'restoreId'>;
  /** What reviewers say about any request. */
  comments: readonly ReviewComment[];
  /** Previews, by path or hash. */
  readonly files: Map<string, ShownFile>;
  readonly details: Map<string, CallDetail>;
  models: readonly ModelEntry[];
  suggestions: ModelSuggestions;
  /** What the engine reports about the graphics cards. */
  cards: EngineCardsReport;
  strain: Strain;
  findings: readonly Finding[];
  /** What can be tried of the set-up, and what comes of it. */
  trials: readonly { readonly trial: SetupTrial; readonly finding: Finding }[];
  keys: KeyReport;
  /** Programs that have a key to the endpoint. */
  programs: readonly EndpointClient[];
  costRows: readonly CostRow[];
  /** The user's rule file. */
  rules: RuleFile;
  expected: Expectation;
  settings: Record<string, unknown>;
  /** Search results, by the searched text. */
  readonly found: Map<string, readonly SearchHit[]>;
  binned: readonly SessionSummary[];
  templates: readonly PromptTemplate[];
  assistants: readonly Assistant[];
  brokenAssistants: readonly BrokenAssistant[];
  /** The chats found in a file that may be an export of a chat app. */
  chats: ChatListing | null;
  /** Prompts of tool servers. */
  prompts: readonly FoundPrompt[];
  branches: readonly SessionBranch[];
  sandbox: SandboxView;
  network: NetworkHistory;
  packages: PreparationPlan;
  instructions: InstructionFile[];
  skills: SkillReport[];
  memory: MemoryLine[];
  knowledge: KnowledgeFile[];
  /** The image that a project brings along. */
  ownImage: ProjectImage | null;
  /** The models of a hub, by the names of their repositories. */
  hub: ReadonlyMap<string, ModelEntry>;
  /** Finishes the running download. */
  endDownload: () => void;
}

const noSandbox: SandboxView = { state: 'none', usage: null, masked: [], pinned: [], warnings: [], terminals: 0 };

/** A machine with one card that holds a small model completely. */
function planOf(model: string | null, context: number | null): MemoryPlanAnswer {
  const card = { name: 'Example Card 12', totalBytes: 12e9, freeBytes: 11e9, driverBytes: 3e8, isUnified: false };
  return {
    model,
    architecture: 'qwen2',
    trainedTokens: 131_072,
    asked: context,
    kvBytes: 9e8,
    recurrentBytes: 0,
    contextBytes: 9e8,
    computeBytes: 3e8,
    weightsBytes: 1.1e9,
    totalBytes: 2.3e9,
    certainty: 'exact',
    terms: [],
    granted: {
      context: context ?? 131_072,
      kv: 'f16',
      gpuLayers: 29,
      placement: 'devices',
      devices: [{ name: card.name, layers: 29, bytes: 2.3e9, budgetBytes: 10.5e9 }],
      hostBytes: 0,
      reason: 'As much as the model was trained for fits on the card.',
      warnings: [],
    },
    usual: null,
    evaluated: null,
    devices: [{ ...card, source: 'simulated', confidence: 'high', note: null }],
    host: { totalBytes: 32e9, freeBytes: 20e9, source: 'simulated' },
    ruleOfThumb: null,
    why: null,
  };
}

const noPackages: PreparationPlan = {
  projectPath: '/',
  image: 'image',
  parts: [],
  hosts: [],
  variables: [],
  approval: 'a'.repeat(64),
};

export const probeCard: KeptCard = {
  model: 'llama-cpp/starter',
  contextTokens: 8192,
  calls: [{ style: 'grammar', passed: 3, of: 3 }],
  callStyle: 'grammar',
  toolBudget: null,
  edit: 'search-replace',
  tasks: { recipe: { passed: 2, of: 2 }, loop: { passed: 0, of: 1 } },
  strategies: ['recipe'],
  speeds: [{ promptTokens: 900, prefillPerSecond: 42, decodePerSecond: 15 }],
  needle: { promptTokens: 1100, isFound: true },
  promptForm: 'short',
  temperature: 0,
  notes: [],
  at: 0,
  seconds: 60,
  sessionId: 'probe',
};

/** Adds up the counterfactuals of all rows for the same work in one place. */
function together(rows: readonly CostRow[], where: keyof Counterfactual): Elsewhere {
  const all = rows.map(({ elsewhere }) => elsewhere[where]);
  const add = (intervals: readonly (Interval | null)[]): Interval =>
    intervals.reduce<Interval>(
      (sum, one) => ({
        value: sum.value + (one?.value ?? 0),
        low: sum.low + (one?.low ?? 0),
        high: sum.high + (one?.high ?? 0),
      }),
      { value: 0, low: 0, high: 0 },
    );
  const [usd, seconds] = [add(all.map((one) => one.usd)), add(all.map((one) => one.seconds))];
  return { basis: 'estimated', usd, seconds, why: null, formula: 'tokens × price' };
}

function addEnergy(left: EnergyTotals, right: EnergyTotals): EnergyTotals {
  return {
    wattHours: left.wattHours + right.wattHours,
    energyUsd: left.energyUsd + right.energyUsd,
    unmeteredCalls: left.unmeteredCalls + right.unmeteredCalls,
    unpricedEnergyCalls: left.unpricedEnergyCalls + right.unpricedEnergyCalls,
    estimatedEnergyCalls: left.estimatedEnergyCalls + right.estimatedEnergyCalls,
  };
}

/** A call that carries nothing a rule names. */
const noManifest: Manifest = { model: 'example/large-1', purpose: 'act', bytes: 0, parts: [], builtFrom: [] };

const noDetail: CallDetail = { text: null, request: null, parts: [], price: null, tools: [] };

/** A scripted core that also answers the other views of the window and records what they asked for. */
export function createPageCore(): PageCore {
  const scripted = createScriptedCore();
  const asked: PageCore['asked'] = [];
  const note: Note = (name, ...args) => void asked.push({ name, args });
  const core: PageCore = {
    ...scripted,
    asked,
    tools: createPageTools(note),
    changes: new Map(),
    restore: {
      restored: ['src/port.ts', 'src/server.ts', 'README.md'],
      merged: ['README.md'],
      kept: [{ path: 'src/config.ts', why: 'it was changed since' }],
      messages: 2,
    },
    comments: [],
    files: new Map(),
    details: new Map(),
    found: new Map(),
    binned: [],
    branches: [],
    templates: [],
    assistants: [],
    brokenAssistants: [],
    chats: null,
    prompts: [],
    sandbox: noSandbox,
    network: { uses: [], answers: [] },
    packages: noPackages,
    instructions: [],
    skills: [],
    memory: [],
    knowledge: [],
    ownImage: null,
    hub: new Map(),
    endDownload: () => undefined,
    models: [],
    suggestions: noSuggestions,
    strain: { act: 'usual', causes: [] },
    cards: { cards: [], isUsed: false, reason: null, advice: null, library: null },
    findings: [],
    trials: [],
    keys: { store: { type: 'ready' }, keys: [] },
    programs: [{ name: 'my-editor', mayLeave: false, createdAt: Date.UTC(2026, 10, 2, 12), lastUsedAt: null }],
    costRows: [],
    rules: noRules,
    expected: unknownWays,
    settings: {
      policy: 'local',
      local: 'llama-cpp/starter',
      cloud: null,
      approve: 'ask',
      notify: 'all',
      limits: {},
      sandbox: {},
    },
  };
  core.replace({
    sessions: sessionHandlers(core, note),
    changes: changeHandlers(core, note),
    git: gitHandlers(core, note),
    models: modelHandlers(core, note),
    assistants: {
      list: () => ({ folder: '/home/assistants', assistants: core.assistants, broken: core.brokenAssistants }),
      show: ({ input: { name } }) => {
        const found = core.assistants.find((one) => one.name === name);
        if (found === undefined) throw new AppError('not-found', `The assistant "${name}" was not found.`);
        return { text: assistantFile(linesOfAssistant(found), found.text) };
      },
      save: ({ input: { name, text } }) => {
        const read = parseAssistant(name, text);
        if (!read.ok) throw new AppError('bad-input', read.why);
        const others = core.assistants.filter((one) => one.name !== name);
        core.assistants = [...others, read.value].sort((left, right) => (left.name < right.name ? -1 : 1));
        return read.value;
      },
      remove: ({ input: { name } }) => {
        core.assistants = core.assistants.filter((one) => one.name !== name);
      },
    },
    templates: templateHandlers(core),
    attachments: { chats: () => core.chats, prompts: () => core.prompts },
    tools: core.tools.handlers,
    ownTools: core.tools.own.handlers,
    plan: ({ input }) => planOf(input.model, input.context),
    keys: keyHandlers(core, note),
    endpoint: {
      ...askAgainHandlers(note),
      clients: () => core.programs,
      addClient: ({ input: { name, mayLeave } }) => {
        const added = { name, mayLeave, createdAt: Date.now(), lastUsedAt: null };
        core.programs = [...core.programs, added];
        return { client: added, key: `dew-${'x'.repeat(43)}` };
      },
      removeClient: ({ input: { name } }) => {
        note('revoke', name);
        core.programs = core.programs.filter((one) => one.name !== name);
      },
    },
    routing: routingHandlers(note, () => core.expected),
    rules: ruleHandlers(core, note),
    prices: priceHandlers(note),
    monthCosts: () =>
      monthCosts(
        {
          rows: core.costRows,
          elsewhere: { allLocal: together(core.costRows, 'allLocal'), allCloud: together(core.costRows, 'allCloud') },
        },
        { today: '2026-11-25', hardwareUsd: 1500 },
      ),
    costs: ({ input: { by } }) => ({
      by,
      since: null,
      project: null,
      rows: core.costRows,
      total: core.costRows.reduce(addTotals, noCosts),
      elsewhere: { allLocal: together(core.costRows, 'allLocal'), allCloud: together(core.costRows, 'allCloud') },
      energy: core.costRows.reduce((sum, { energy }) => addEnergy(sum, energy), energyOf(noSplitWorkload)),
      unreadable: [],
    }),
    ...settingsHandlers(core, note),
    sandboxes: {
      watch: ({ signal }) => progressStream(async (onView) => onView(core.sandbox), signal),
      network: () => core.network,
    },
    receipts: {
      show: ({ input }) => ({
        ...receiptOf(3),
        about: input.type === 'session' ? { ...input, title: 'Fix the failing date test' } : input,
      }),
    },
    doctor: () => core.findings,
    setup: {
      trials: () => core.trials.map(({ trial }) => trial),
      try: ({ input: { id } }) => {
        const found = core.trials.find(({ trial }) => trial.id === id);
        note('try', id);
        if (found === undefined) throw new AppError('not-found', `There is nothing to try under the name ${id}.`);
        return found.finding;
      },
    },
  });
  return core;
}

type Subject<Name extends keyof SomeHandlers> = NonNullable<SomeHandlers[Name]>;

function sessionHandlers(core: PageCore, note: Note): Subject<'sessions'> {
  return {
    search: ({ input }) => ({ hits: core.found.get(input.text) ?? [], isComplete: true }),
    rename: ({ input }) => core.append(input.sessionId, { type: 'session-renamed', title: input.title }),
    organize: ({ input, signal }) => {
      const { sessionIds, ...wanted } = input;
      note('organize', sessionIds, wanted);
      const write = async (id: string, eventOf: (state: SessionState) => NewEvent | null): Promise<void> => {
        const event = eventOf((await core.client.sessions.show({ sessionId: id })).state);
        if (event !== null) core.append(id, event);
      };
      return organizeSessions({ note: write }, input, signal ?? new AbortController().signal);
    },
    fork: async ({ input: { sessionId, at, isBranch } }) => {
      note('fork', at ?? null);
      const { title, projectPath } = await core.client.sessions.find({ id: sessionId });
      const named = isBranch ? title : `${title} (fork)`;
      return { sessionId: core.createSession({ projectPath, title: named }), notRestored: [] };
    },
    choose: ({ input: { sessionId, chosen } }) => {
      note('choose', chosen);
      core.append(sessionId, { type: 'options-chosen', chosen });
    },
    withdraw: ({ input: { sessionId, messageId } }) => {
      note('withdraw', messageId);
      core.append(sessionId, { type: 'message-dropped', messageId, withdrawn: true });
    },
    branches: ({ input }) =>
      core.branches.some(({ sessionId }) => sessionId === input.sessionId) ? core.branches : [],
    delete: async ({ input: { sessionId } }) => {
      note('delete', sessionId);
      core.binned = [await core.client.sessions.find({ id: sessionId })];
    },
    binned: () => core.binned,
    restore: ({ input: { id } }) => {
      note('restore', id);
      core.binned = [];
      return { sessionId: id };
    },
    purge: ({ input }) => {
      note('purge', input.id);
      core.binned = [];
    },
    manifest: () => noManifest,
    detail: ({ input }) => core.details.get(input.id) ?? noDetail,
    cancel: ({ input }) => note('cancel', input.sessionId),
    result: async ({ input }) =>
      buildRunResult((await core.client.sessions.show(input)).state) ??
      Promise.reject(new AppError('not-found', 'No turn has ended yet.')),
    approve: ({ input: { sessionId, approvalId, answer, scope, values } }) => {
      note('approve', approvalId, answer, ...[scope, values].filter((one) => one !== undefined));
      core.append(sessionId, { type: 'approval-answered', approvalId, answer, by: 'person' });
    },
    answerCap: ({ input: { sessionId, capId, decision } }) => {
      note('cap', capId, decision);
      const raisedUsd = decision.answer === 'raise' ? decision.usd : null;
      core.append(sessionId, { type: 'cap-answered', capId, answer: decision.answer, raisedUsd, by: 'person' });
    },
  };
}

function changeHandlers(core: PageCore, note: Note): Subject<'changes'> {
  const outcome = (what: string, paths: readonly string[], hunks?: HunkChoice): ChangeOutcome => {
    note(what, ...paths, ...(hunks === undefined ? [] : [...hunks.places, hunks.version]));
    return { done: paths, refused: [] };
  };
  return {
    show: ({ input }) => core.changes.get(input.sessionId) ?? [],
    file: ({ input: { source } }) =>
      core.files.get('path' in source ? source.path : source.sha256) ?? { kind: 'none', why: 'missing' },
    take: ({ input }) => outcome('take', input.paths, input.hunks),
    undo: ({ input }) => outcome('undo', input.paths, input.hunks),
    restore: ({ input: { checkpoint, isPreview = false } }) => {
      if (!isPreview) note('restore', checkpoint);
      return { ...core.restore, restoreId: isPreview ? null : 'restore-9' };
    },
  };
}

function modelHandlers(core: PageCore, note: Note): Subject<'models'> {
  const change = (id: string, changed: Partial<ModelEntry>): void => {
    core.models = core.models.map((model) => (model.id === id ? { ...model, ...changed } : model));
  };
  return {
    list: () => core.models,
    search: () => [],
    suggest: () => core.suggestions,
    cards: () => core.cards,
    lookForServer: ({ input: { program } }) => {
      note('look-for-server', program);
      return {
        path: null,
        version: null,
        cards: [],
        problem: 'No program `llama-server` was found on this machine.',
        places: '`llama-server` is looked for in the search path (PATH).',
        howToGet: 'Run `brew install llama.cpp` in a terminal, then look again.',
      };
    },
    strain: () => core.strain,
    import: ({ input: { path, name } }) => {
      note('import', path, name);
      const added: ModelEntry = {
        id: 'llama-cpp/own',
        label: 'Own',
        where: 'local',
        state: 'ready',
        sizeBytes: 2e9,
        license: null,
        info: null,
        note: `your file ${path}`,
        file: { path, hereBytes: 2e9, isOurs: false },
      };
      core.models = [...core.models, added];
      return added;
    },
    addAdapter: ({ input: { path, model } }) => {
      note('addAdapter', path, model);
      const base = core.models.find(({ id }) => id === model);
      if (base === undefined) throw new Error('no such model');
      const id = `${model}+style`;
      const made = { ...base, id, label: `${base.label} + style`, note: `the adapter ${path} on it` };
      core.models = [...core.models, { ...made, file: { path, hereBytes: 8e6, isOurs: false } }];
      return made;
    },
    repair: () => ({ problem: null, plan: null, made: null }),
    probe: ({ input: { id }, signal }) =>
      progressStream(async (onProgress) => {
        note('probe', id);
        onProgress({ text: 'Checking how it calls tools.', card: null });
        change(id, { card: probeCard });
        onProgress({ text: '', card: probeCard });
      }, signal),
    remove: ({ input: { id } }) => {
      note('remove', id);
      const file = core.models.find((model) => model.id === id)?.file;
      core.models = core.models.flatMap((model) =>
        model.id !== id ? [model] : file?.isOurs === true ? [{ ...model, state: 'downloadable' }] : [],
      );
      return { done: file?.isOurs === true ? 'deleted' : 'forgotten', path: '', bytes: 0 };
    },
    show: ({ input: { id } }) => {
      const entry = core.hub.get(id) ?? core.models.find((model) => model.id === id);
      if (entry !== undefined) return entry;
      throw new AppError('not-found', `The hub has no ${id.slice(3)}, or it is private.`, {
        hint: 'Check the name. For a private repository, set HF_TOKEN.',
      });
    },
    pull: ({ input: { id }, signal }) =>
      progressStream(async (onProgress) => {
        note('pull', id);
        onProgress({ phase: 'downloading', doneBytes: 4e8, totalBytes: 1.1e9, text: '' });
        await new Promise<void>((resolve) => (core.endDownload = resolve));
        change(id, { state: 'ready' });
        onProgress({ phase: 'done', doneBytes: 1.1e9, totalBytes: 1.1e9, text: '' });
      }, signal),
  };
}

function tried(key: string): KeyTest {
  if (key.includes(' ')) throw new AppError('bad-input', 'This is no key: it has a space in it.');
  const test = key.startsWith('sk-unreachable') ? 'unknown' : key.startsWith('sk-wrong') ? 'refused' : 'accepted';
  return { test, text: test === 'accepted' ? '' : 'connect ECONNREFUSED 203.0.113.7:443' };
}

function keyHandlers(core: PageCore, note: Note): Subject<'keys'> {
  let removed: KeyReport | null = null;
  let finish = (): void => undefined;
  return {
    list: () => core.keys,
    try: ({ input: { value } }) => tried(value),
    set: ({ input: { provider, value } }) => {
      tried(value);
      note('key', provider);
      core.keys = { ...core.keys, keys: [{ provider, source: 'store', variable: null }] };
      return { kept: 'store', test: 'accepted', text: '' };
    },
    test: ({ input }) => {
      note('test', input.provider);
      return { test: 'accepted', text: 'The provider lists 3 models.' };
    },
    signIn: ({ input: { provider }, signal }) =>
      progressStream(async (push, stop) => {
        push({ type: 'open', url: 'https://openrouter.ai/auth?callback_url=http%3A%2F%2F127.0.0.1%3A4567' });
        await new Promise<void>((resolve, reject) => {
          finish = resolve;
          stop.addEventListener('abort', () => reject(stop.reason), { once: true });
        });
        note('key', provider);
        core.keys = { ...core.keys, keys: [...core.keys.keys, { provider, source: 'store', variable: null }] };
        push({ type: 'done', outcome: { kept: 'store', test: 'accepted', text: 'The provider lists 3 models.' } });
      }, signal),
    finishSignIn: ({ input: { address } }) => {
      if (!address.startsWith('http://127.0.0.1:4567/callback'))
        throw new AppError('bad-input', 'This is not the address that the sign-in ended at. It still waits.');
      finish();
    },
    remove: ({ input: { provider } }) => {
      note('forget', provider);
      removed = core.keys;
      core.keys = { ...core.keys, keys: core.keys.keys.filter((key) => key.provider !== provider) };
    },
    restore: ({ input }) => {
      note('restore-key', input.provider);
      core.keys = removed ?? core.keys;
    },
  };
}

const noSuggestions: ModelSuggestions = {
  machine: {
    devices: [],
    host: { totalBytes: 16e9 },
    deviceBandwidth: null,
    hostBandwidth: null,
    measuredPrefill: null,
  },
  date: '2026-11-25',
  models: [],
  readers: [],
};
