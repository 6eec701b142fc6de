import { createHash } from 'node:crypto';
import type { Counterfactual, Elsewhere, Interval } from '../../src/shared/money/counterfactual.ts';
import { AppError } from '../../src/shared/errors.ts';
import { noSplitWorkload } from '../../src/shared/money/workload.ts';
import type { SearchHit } from '../../src/shared/contract/search-answer.ts';
import type {
  CallDetail,
  ChangedFile,
  Finding,
  KeyReport,
  ModelEntry,
  SessionSummary,
} from '@shared/contract/contract.ts';
import type { Manifest } from '@shared/session/call-manifest.ts';
import type { KeptCard } from '@shared/models/probe-card.ts';
import type { MemoryPlanAnswer } from '@shared/models/memory-estimate.ts';
import type { PreparationPlan } from '@shared/projects/project-preparation.ts';
import type { NetworkHistory, SandboxView } from '@shared/sandbox/sandbox-view.ts';
import type { ProjectImage } from '@shared/sandbox/sandbox-images.ts';
import type { CostRow, EnergyTotals } from '@shared/money/cost-report.ts';
import { addTotals, energyOf, noCosts } from '@shared/money/cost-report.ts';
import type { InstructionFile } from '@shared/safety/instruction-files.ts';
import type { RuleCheck, RuleFile } from '@shared/rules/rule-report.ts';
import { contradictionsIn, parseRules } from '../../src/shared/rules/parse-rules.ts';
import type { CoreApi } from '../../src/main/server/core-api.ts';
import { pageSettings } from './page-settings.ts';
import { createScriptedCore } from './scripted-core.ts';
import type { ScriptedCore } from './scripted-core.ts';

export interface PageCore extends ScriptedCore {
  /** What the page asked for, by name, with its arguments. */
  readonly asked: { readonly name: string; readonly args: readonly unknown[] }[];
  readonly changes: Map<string, readonly ChangedFile[]>;
  readonly details: Map<string, CallDetail>;
  models: readonly ModelEntry[];
  findings: readonly Finding[];
  keys: KeyReport;
  costRows: readonly CostRow[];
  /** A person's file of rules. */
  rules: RuleFile;
  settings: Record<string, unknown>;
  /** What a search finds, by the text that is searched. */
  readonly found: Map<string, readonly SearchHit[]>;
  binned: readonly SessionSummary[];
  sandbox: SandboxView;
  network: NetworkHistory;
  packages: PreparationPlan;
  instructions: InstructionFile[];
  /** What a project brings along. */
  ownImage: ProjectImage | null;
  /** What a hub has, by the names of its repositories. */
  hub: ReadonlyMap<string, ModelEntry>;
  /** Lets the download that runs come to its end. */
  endDownload: () => void;
}

const noSandbox: SandboxView = { state: 'none', usage: null, masked: [], pinned: [], warnings: [], terminals: 0 };

/** A machine with a card on which a small model fits whole. */
function planOf(model: string | null): MemoryPlanAnswer {
  const card = { name: 'Example Card 12', totalBytes: 12e9, freeBytes: 11e9, driverBytes: 3e8, isUnified: false };
  return {
    model,
    architecture: 'qwen2',
    trainedTokens: 32_768,
    asked: null,
    kvBytes: 9e8,
    recurrentBytes: 0,
    contextBytes: 9e8,
    computeBytes: 3e8,
    weightsBytes: 1.1e9,
    totalBytes: 2.3e9,
    certainty: 'exact',
    terms: [],
    granted: {
      context: 32_768,
      kv: 'f16',
      gpuLayers: 29,
      placement: 'devices',
      devices: [{ name: card.name, layers: 29, bytes: 2.3e9, budgetBytes: 10.5e9 }],
      hostBytes: 0,
      reason: 'As much as the model was trained for fits on the card.',
      warnings: [],
    },
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

const probeCard: KeptCard = {
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

const noRules: RuleFile = {
  owner: 'own',
  path: '/home/dewpoint.rules',
  text: null,
  hash: null,
  holds: 'none',
  problems: [],
  rules: [],
  errors: [],
  warnings: [],
};

function checked(text: string): RuleCheck {
  const { rules, errors } = parseRules(text, 'your rules');
  return { rules, errors, warnings: contradictionsIn(rules).map((one) => ({ line: one.line, text: one.text })) };
}

/** What all rows say of the same work in one place. */
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

/** A call that carries nothing which a rule names. */
const noManifest: Manifest = { model: 'example/large-1', purpose: 'act', bytes: 0, parts: [], builtFrom: [] };

const noDetail: CallDetail = { text: null, request: null, parts: [], price: null, tools: [] };

/** A scripted core that also answers what the other views of the window ask for, and notes what it was asked. */
export function createPageCore(): PageCore {
  const scripted = createScriptedCore();
  const asked: PageCore['asked'] = [];
  const note = (name: string, ...args: readonly unknown[]): void => void asked.push({ name, args });
  const changes = new Map<string, readonly ChangedFile[]>();
  const details = new Map<string, CallDetail>();
  const found = new Map<string, readonly SearchHit[]>();
  let kept: ReturnType<typeof pageSettings> | null = null;
  let removedKeys: KeyReport | null = null;
  const settings = () => (kept ??= pageSettings(core));
  const core: PageCore = {
    ...scripted,
    asked,
    changes,
    details,
    found,
    binned: [],
    sandbox: noSandbox,
    network: { uses: [], answers: [] },
    packages: noPackages,
    instructions: [],
    ownImage: null,
    hub: new Map(),
    endDownload: () => undefined,
    models: [],
    findings: [],
    keys: { store: { type: 'ready' }, keys: [] },
    costRows: [],
    rules: noRules,
    settings: {
      policy: 'local',
      local: 'llama-cpp/starter',
      cloud: null,
      approve: 'ask',
      notify: 'all',
      limits: {},
      sandbox: {},
    },
    searchSessions: async (text) => ({ hits: found.get(text) ?? [], isComplete: true }),
    renameSession: async (sessionId, title) => scripted.append(sessionId, { type: 'session-renamed', title }),
    forkSession: async (sessionId, at) => {
      note('fork', at ?? null);
      const { state } = await scripted.showSession(sessionId);
      return {
        sessionId: await scripted.createSession({ projectPath: state.projectPath, title: `${state.title} (fork)` }),
        notRestored: [],
      };
    },
    deleteSession: async (sessionId) => {
      note('delete', sessionId);
      core.binned = [await scripted.findSession(sessionId)];
    },
    binnedSessions: async () => core.binned,
    restoreSession: async (id) => {
      note('restore', id);
      core.binned = [];
      return id;
    },
    purgeSession: async (id) => {
      note('purge', id);
      core.binned = [];
    },
    manifest: async () => noManifest,
    callDetail: async (_sessionId, id) => details.get(id) ?? noDetail,
    cancel: async (sessionId) => note('cancel', sessionId),
    approve: async (sessionId, approvalId, answer, scope) => {
      note('approve', approvalId, answer, ...(scope === undefined ? [] : [scope]));
      scripted.append(sessionId, { type: 'approval-answered', approvalId, answer, by: 'person' });
    },
    showChanges: async (sessionId) => changes.get(sessionId) ?? [],
    takeChanges: async (sessionId, paths) => outcome('take', sessionId, paths),
    undoChanges: async (sessionId, paths) => outcome('undo', sessionId, paths),
    listModels: async () => core.models,
    getSetting: (key) => settings().get(key),
    unsetSetting: async (key) => {
      note('unset', key);
      settings().set(key, undefined);
    },
    watchSettings: (listener) => settings().watch(listener),
    projectSettings: (path) => settings().projects.projectSettings(path),
    configureProject: (path, change) => {
      note('configure', path, change);
      return settings().projects.configureProject(path, change);
    },
    removePackages: async (path) => {
      note('remove-packages', path);
      const parts = core.packages.parts.map((part) => ({ ...part, state: 'missing' as const, packages: null }));
      core.packages = { ...core.packages, parts };
      return [{ kind: 'packages', name: path, sizeBytes: 4e4, unneeded: null, isRemoved: true }];
    },
    projectImage: async () => core.ownImage,
    testKey: async (provider) => {
      note('test', provider);
      return { test: 'accepted', text: 'The service lists 3 models.' };
    },
    showBudget: async (path) => settings().caps.show(path),
    changeBudget: async (target, change) => {
      note('budget', target, change);
      return settings().caps.change(target, change);
    },
    showRules: async (path) => ({
      files:
        path === null ? [core.rules] : [core.rules, { ...noRules, owner: 'project', path: `${path}/dewpoint.rules` }],
    }),
    checkRules: async (_target, text) => checked(text),
    saveRules: async ({ text }) => {
      note('rules', text);
      const hash = createHash('sha256').update(text).digest('hex');
      core.rules = { ...core.rules, ...checked(text), text, hash, holds: 'as-written', problems: [] };
      return { files: [core.rules] };
    },
    testRules: async ({ path, draft }) => {
      const rule = checked(draft?.text ?? '').rules.find(({ value }) => value === path);
      return { place: null, fence: rule === undefined ? null : { verdict: 'local-only', text: rule.from }, mask: null };
    },
    setSetting: async (key, value) => {
      note('set', key, value);
      settings().set(key, value);
      return value;
    },
    watchSandbox: async (_sessionId, onView) => onView(core.sandbox),
    networkHistory: async () => core.network,
    listInstructions: async () => core.instructions,
    approveInstructions: async (_projectPath, path, sha256) => {
      note('follow', path, sha256);
      core.instructions = core.instructions.map((file) => ({ ...file, state: 'approved' }));
      return core.instructions;
    },
    projectParts: async () => core.packages.parts,
    planPreparation: async () => core.packages,
    prepareProject: async ({ approval }, onProgress) => {
      note('prepare', approval);
      onProgress('python -m pip install -r requirements.txt');
      onProgress('Successfully installed six-1.17.0');
      const parts = core.packages.parts.map((part) => ({
        ...part,
        state: 'ready' as const,
        packages: 1,
        sizeBytes: 4e4,
      }));
      core.packages = { ...core.packages, parts };
      return core.packages;
    },
    clean: async () => [],
    doctor: async () => core.findings,
    answerCap: async (sessionId, capId, decision) => {
      note('cap', capId, decision);
      const raisedUsd = decision.answer === 'raise' ? decision.usd : null;
      scripted.append(sessionId, { type: 'cap-answered', capId, answer: decision.answer, raisedUsd, by: 'person' });
    },
    plan: async ({ model }) => planOf(model),
    listKeys: async () => core.keys,
    setKey: async ({ provider, value }) => {
      if (value.includes(' ')) throw new AppError('bad-input', 'This is no key: it has a space in it.');
      note('key', provider);
      core.keys = { ...core.keys, keys: [{ provider, source: 'store', variable: null }] };
      return { kept: 'store', test: 'accepted', text: '' };
    },
    removeKey: async (provider) => {
      note('forget', provider);
      removedKeys = core.keys;
      core.keys = { ...core.keys, keys: core.keys.keys.filter((key) => key.provider !== provider) };
    },
    restoreKey: async (provider) => {
      note('restore-key', provider);
      core.keys = removedKeys ?? core.keys;
    },
    costs: async ({ by }) => ({
      by,
      since: null,
      project: null,
      rows: core.costRows,
      total: core.costRows.reduce(addTotals, noCosts),
      elsewhere: { allLocal: together(core.costRows, 'allLocal'), allCloud: together(core.costRows, 'allCloud') },
      energy: core.costRows.reduce((sum, { energy }) => addEnergy(sum, energy), energyOf(noSplitWorkload)),
      unreadable: [],
    }),
    importModel: async ({ path, name }) => {
      note('import', path, name);
      const added: ModelEntry = {
        id: 'llama-cpp/own',
        label: 'Own',
        where: 'local',
        state: 'ready',
        sizeBytes: 2e9,
        licence: null,
        info: null,
        note: `your file ${path}`,
        file: { path, hereBytes: 2e9, isOurs: false },
      };
      core.models = [...core.models, added];
      return added;
    },
    repairModel: async () => ({ problem: null, plan: null, made: null }),
    probeModel: async (id, onProgress) => {
      note('probe', id);
      onProgress({ text: 'Checking how it calls tools.', card: null });
      core.models = core.models.map((model) => (model.id === id ? { ...model, card: probeCard } : model));
      onProgress({ text: '', card: probeCard });
    },
    removeModel: async (id) => {
      note('remove', id);
      const file = core.models.find((model) => model.id === id)?.file;
      core.models = core.models.flatMap((model) =>
        model.id !== id ? [model] : file?.isOurs === true ? [{ ...model, state: 'downloadable' }] : [],
      );
      return { done: file?.isOurs === true ? 'deleted' : 'forgotten', path: '', bytes: 0 };
    },
    showModel: async (id) => {
      const entry = core.hub.get(id) ?? core.models.find((model) => model.id === id);
      if (entry !== undefined) return entry;
      throw new AppError('not-found', `The hub has no ${id.slice(3)}, or it is private.`, {
        hint: 'Look at its name; for one that only you may read set HF_TOKEN.',
      });
    },
    pullModel: async (id, onProgress) => {
      note('pull', id);
      onProgress({ phase: 'downloading', doneBytes: 4e8, totalBytes: 1.1e9, text: '' });
      await new Promise<void>((resolve) => (core.endDownload = resolve));
      core.models = core.models.map((model) => (model.id === id ? { ...model, state: 'ready' } : model));
      onProgress({ phase: 'done', doneBytes: 1.1e9, totalBytes: 1.1e9, text: '' });
    },
  };
  const outcome = (what: string, _sessionId: string, paths: readonly string[]): ReturnType<CoreApi['takeChanges']> => {
    note(what, ...paths);
    return Promise.resolve({ done: paths, refused: [] });
  };
  return core;
}
