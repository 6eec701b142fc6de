import { isAbsolute } from 'node:path';
import { AppError, valueOf } from '@shared/errors.ts';
import type { Strain } from '@shared/models/machine-strain.ts';
import type { Effort, ModelInfo } from '@shared/models/model-info.ts';
import type { KeptCard } from '@shared/models/probe-card.ts';
import { splitModelId } from '@shared/models/model-info.ts';
import type { Price } from '@shared/money/token-cost.ts';
import type { ProviderSettings, Settings } from '@shared/settings/settings.ts';
import { knownProviderSettings } from '@shared/settings/settings.ts';
import { createModelEntryFinder } from './find-model-entry.ts';
import { entryOfFile, entryOfHeader } from './model-entries.ts';
import type { ProbeResults } from './probe-model.ts';
import type { EngineLibraries } from './engine/engine-libraries.ts';
import type { HubModels } from './files/hub-models.ts';
import { notFoundHint } from './not-found-hint.ts';
import { pullPhases } from './files/pull-phases.ts';
import type { ServerStatus } from './model-servers.ts';
import { addServerAdapter, repairServerModel, pullFromServer, listServers } from './model-servers.ts';
import type { AdapterRequest } from './files/stored-model.ts';
import type { LocalEngines } from './engine/local-engines.ts';
import type { LoadSteps } from './memory/load-steps.ts';
import type { ContextGrants } from './memory/grant-context.ts';
import type { LlamaEngine } from './engine/llama-engine.ts';
import type { KnownHeader } from './files/model-catalog.ts';
import type { ModelStore } from './files/model-store.ts';
import type { OwnLlamaServer } from './engine/llama-server/own-llama-server.ts';
import type { OwnOllamaServer } from './engine/own-ollama-server.ts';
import type { ReadHeader } from './memory/gguf/gguf-header-reader.ts';
import type { ServerMemoryPlanner } from './memory/server-memory-planner.ts';
import { localDay } from '../money/budget.ts';
import type { PricedModel } from '../money/price-list.ts';
import type { Provider, ProviderDependencies } from './providers/define.ts';
import type { ProviderRegistry } from './providers/registry.ts';
import type {
  EngineCardsReport,
  ModelEntry,
  ModelRepair,
  ModelRemoval,
  PullProgress,
  ModelAdvice,
} from '@shared/contract/models-contract.ts';

/** The models that can be called or fetched, over all configured providers. */
export interface AvailableModels {
  /** Null: not set up, not on this machine, or its endpoint does not know it. */
  readonly info: (id: string, signal: AbortSignal) => Promise<ModelInfo | null>;
  readonly provider: (providerId: string) => Provider | null;
  /** What the service itself says now to a key, or to its own; rejects where it says no. Nothing of it is kept. */
  readonly ask: (providerId: string, signal: AbortSignal, key?: string) => Promise<AskedService>;
  readonly list: (signal: AbortSignal) => Promise<readonly ModelEntry[]>;
  readonly show: (id: string, fit: boolean, signal: AbortSignal) => Promise<ModelEntry>;
  /** Looks at what is wrong with a model of a server, and repairs it where `apply` says so. */
  readonly repair: (id: string, apply: boolean, signal: AbortSignal) => Promise<ModelRepair>;
  /** Of the servers that were set up, and of those that run without: what they are, and what is wrong. */
  readonly servers: (signal: AbortSignal) => Promise<readonly ServerStatus[]>;
  /** What the engine makes of the graphics cards here. */
  readonly cards: (signal: AbortSignal) => Promise<EngineCardsReport>;
  readonly pull: (id: string, onProgress: (progress: PullProgress) => void, signal: AbortSignal) => Promise<void>;
  /** A model file of the user's own, by reference. */
  readonly add: (
    request: { readonly path: string; readonly name: string | null },
    signal: AbortSignal,
  ) => Promise<ModelEntry>;
  /** An adapter for a model that is here; the entry of what they make. */
  readonly addAdapter: (
    request: AdapterRequest & { readonly model: string },
    signal: AbortSignal,
  ) => Promise<ModelEntry>;
  readonly remove: (id: string, signal: AbortSignal) => Promise<ModelRemoval>;
  readonly dispose: () => Promise<void>;
}

export interface AskedService {
  readonly models: readonly ModelInfo[];
  /** Everybody gets this answer: it says nothing of the key that there is. */
  readonly isOpen: boolean;
}

export interface AvailableModelsOptions {
  readonly registry: ProviderRegistry;
  readonly settings: () => Settings;
  readonly store: ModelStore;
  readonly llama: LlamaEngine;
  readonly cacheDir: string;
  readonly workerPath: string;
  readonly nodePath: string;
  readonly context: ContextGrants;
  readonly loadSteps: LoadSteps;
  readonly localEngines: LocalEngines;
  readonly serverMemoryPlanner: ServerMemoryPlanner;
  readonly ownOllamaServer: OwnOllamaServer;
  readonly ownLlamaServer: OwnLlamaServer;
  readonly readHeader: ReadHeader;
  readonly freeHostBytes: (signal: AbortSignal) => Promise<number>;
  readonly engineFiles: EngineLibraries;
  readonly hubModels: HubModels;
  /** `OLLAMA_HOST` of the environment. */
  readonly ollamaHost: string | undefined;
  /** Of the catalog, also of models that it has no source for; null: not in it. */
  readonly headerOf: (name: string) => KnownHeader | null;
  /** Whether this machine is under strain; absent: nobody looks. */
  readonly strain?: () => Promise<Strain>;
  /** How hard the family of a file is best told to think; null: nobody says. */
  readonly effortOf: (path: string) => Promise<Effort | null>;
  /** What the catalog knows of files that draft for a file; undefined: of none. */
  readonly draftersOf: (path: string) => Promise<string | undefined>;
  /** What a model would get of this machine, in a line; null where nobody knows. */
  readonly fit: (id: string, signal: AbortSignal) => Promise<string | null>;
  /** What speaks against a model that is here. */
  readonly advise: (entry: ModelEntry, card: KeptCard | null) => Promise<readonly ModelAdvice[]>;
  /** What probes and settings say of the way to drive a model. */
  readonly probed: Pick<ProbeResults, 'card' | 'driven' | 'drafts'>;
  /** The key of a provider; null: it has none. */
  readonly secret: (provider: string, settings: ProviderSettings) => Promise<string | null>;
  /** What a model costs, where its own service does not say; null: nobody knows. */
  readonly price: (model: PricedModel) => Promise<Price | null>;
  /** Reaches services on the net. */
  readonly fetch: typeof fetch;
  readonly now: () => number;
}

/** Models inside Dewpoint and those of an Ollama of this machine need no entry in the settings. */
const builtIn: Readonly<Record<string, ProviderSettings>> = {
  'llama-cpp': { kind: 'llama-cpp', gpu: 'auto' },
  ollama: { kind: 'ollama', start: false, keepAliveMinutes: 5, models: {} },
};

export function createAvailableModels(options: AvailableModelsOptions): AvailableModels {
  const { store, llama, engineFiles, hubModels } = options;
  const instances = createInstances(options);
  const info: AvailableModels['info'] = (id, signal) => infoOf(options, instances, id, signal);
  const hintFor: HintFor = async (id) => {
    const files = (await store.list()).map(({ name }) => name);
    return notFoundHint(id, files, instances);
  };
  const entries = createModelEntryFinder({
    ...instances,
    settings: options.settings,
    fileEntry: async (name) => {
      const file = await store.find(name);
      return file === null ? entryOfHeader(options.headerOf(name)) : entryOfFile(file);
    },
    completed: (model) => completed(options, model),
    isBuiltIn: (id) => id in builtIn,
  });
  const known = async (entry: ModelEntry, signal: AbortSignal): Promise<ModelEntry> => {
    const card = await options.probed.card(entry.id);
    const whole = await withFile(options, await withInfo(entry, info, signal));
    const advice = await options.advise(entry, card);
    return { ...whole, ...(card === null ? {} : { card }), ...(advice.length === 0 ? {} : { advice }) };
  };
  const list: AvailableModels['list'] = async (signal) => {
    const stored = (await store.list()).map((model) => entryOfFile(model));
    const others = instances
      .ids()
      .filter((id) => options.settings().providers[id]?.kind !== 'llama-cpp' && id !== 'llama-cpp');
    const remote = await Promise.all(others.map((id) => entries.ofProvider(id, signal)));
    return Promise.all([...stored, ...remote.flat()].map(async (entry) => known(entry, signal)));
  };
  const show: AvailableModels['show'] = async (id, fit, signal) => {
    const entry =
      (await engineFiles.show(id, signal)) ?? (await hubModels.show(id, signal)) ?? (await entries.find(id, signal));
    if (entry === null) throw await notFound(id, hintFor);
    const shown = await known(entry, signal);
    return fit && isPlanned(options, id) ? { ...shown, fit: await options.fit(id, signal) } : shown;
  };
  return {
    info,
    provider: instances.get,
    ask: instances.ask,
    list,
    show,
    repair: (id, apply, signal) => repairServerModel(instances, id, { apply, signal }),
    servers: async (signal) =>
      (await Promise.all([engineFiles.status(signal), listServers(instances, options.settings, signal)])).flat(),
    cards: engineFiles.report,
    pull: async (id, onProgress, signal) => {
      const isElsewhere =
        (await engineFiles.pull(id, onProgress, signal)) ||
        (await hubModels.pull(id, onProgress, signal)) ||
        (await pullFromServer(instances, id, { onProgress, signal }));
      if (!isElsewhere) await pull(store, await fileNameOf(id, 'downloaded', hintFor), onProgress, signal);
    },
    add: async (request, signal) => show(`llama-cpp/${await store.add(request)}`, true, signal),
    addAdapter: async ({ model, ...request }, signal) => {
      const made = await addServerAdapter(instances, model, { request, signal });
      if (made !== null) return show(made, false, signal);
      const name = await store.addAdapter(await fileNameOf(model, 'given an adapter', hintFor), request, signal);
      return show(`llama-cpp/${name}`, true, signal);
    },
    remove: async (id, signal) =>
      (await engineFiles.remove(id, signal)) ??
      (await removeFromServer(instances, id, { signal, hintFor })) ??
      store.remove(await fileNameOf(id, 'removed', hintFor), { release: (path) => llama.release(path), signal }),
    dispose: instances.dispose,
  };
}

/** Null for a model that lies in no server's store. */
async function removeFromServer(
  instances: Instances,
  id: string,
  { signal, hintFor }: { readonly signal: AbortSignal; readonly hintFor: HintFor },
): Promise<ModelRemoval | null> {
  const named = splitModelId(id);
  const remove = named === null ? undefined : instances.get(named.provider)?.remove;
  if (named === null || remove === undefined) return null;
  const removed = await remove(named.name, signal);
  if (removed === null) throw await notFound(id, hintFor);
  return { done: 'deleted', path: id, bytes: removed.bytes };
}

interface Instances {
  readonly ids: () => readonly string[];
  readonly get: (id: string) => Provider | null;
  readonly ask: AvailableModels['ask'];
  /** A model file may be named by its path; the provider then lists it, too. */
  readonly mention: (name: string) => void;
  readonly dispose: () => Promise<void>;
}

/** One provider for each entry of the settings; made anew when its entry has changed. */
function createInstances(options: AvailableModelsOptions): Instances {
  const made = new Map<string, { readonly key: string; readonly provider: Provider }>();
  const paths = new Set<string>();
  const configured = (): Readonly<Record<string, ProviderSettings>> => ({
    ...builtIn,
    ...options.settings().providers,
  });
  const get = (id: string): Provider | null => {
    // A service that is well known needs no entry to be named; only entries are listed.
    const settings = configured()[id] ?? knownProviderSettings(id);
    if (settings === null) return null;
    const key = JSON.stringify(settings);
    const known = made.get(id);
    if (known?.key === key) return known.provider;
    const definition = options.registry.get(settings.kind);
    if (definition === undefined) return null;
    const provider = definition.create(dependenciesOf(options, id, settings, paths), { id, settings });
    void known?.provider.dispose();
    made.set(id, { key, provider });
    return provider;
  };
  return {
    ids: () => {
      // The model of the cloud may be one of a service that is known without an entry.
      const cloud = splitModelId(options.settings().cloud ?? '')?.provider;
      return [...new Set([...Object.keys(configured()), ...(cloud === undefined ? [] : [cloud])])];
    },
    get,
    ask: async (id, signal, key) => {
      const settings = configured()[id] ?? knownProviderSettings(id);
      const definition = settings === null ? undefined : options.registry.get(settings.kind);
      if (settings === null || definition === undefined) return { models: [], isOpen: false };
      // Without the models that the settings name there is nothing to fall back on: a refusal shows.
      const bare = 'models' in settings ? { ...settings, models: {} } : settings;
      const own = dependenciesOf(options, id, bare, paths);
      const dependencies = key === undefined ? own : { ...own, secret: async () => key };
      const withKey = definition.create(dependencies, { id, settings: bare });
      const without = definition.create({ ...dependencies, secret: async () => null }, { id, settings: bare });
      try {
        return await askService({ withKey, without, hasKey: (await dependencies.secret('apiKey')) !== null }, signal);
      } finally {
        await Promise.all([withKey.dispose(), without.dispose()]);
      }
    },
    mention: (name) => {
      if (isAbsolute(name)) paths.add(name);
    },
    dispose: async () => {
      await Promise.all([...made.values()].map(({ provider }) => provider.dispose()));
      made.clear();
    },
  };
}

interface ServiceAccess {
  readonly withKey: Provider;
  readonly without: Provider;
  readonly hasKey: boolean;
}

/** Some services list their models for everybody: there a wrong key would seem to be right. */
async function askService({ withKey, without, hasKey }: ServiceAccess, signal: AbortSignal): Promise<AskedService> {
  const models = await withKey.listModels(signal);
  if (!hasKey) return { models, isOpen: false };
  if (withKey.tryKey !== undefined) {
    await withKey.tryKey(signal);
    return { models, isOpen: false };
  }
  // A refusal is the usual answer without a key.
  const open = await without.listModels(signal).catch(() => []);
  return { models, isOpen: open.some(({ listedOn }) => listedOn === undefined) };
}

async function infoOf(
  options: AvailableModelsOptions,
  instances: Instances,
  id: string,
  signal: AbortSignal,
): Promise<ModelInfo | null> {
  const name = splitModelId(id);
  const provider = name === null ? null : instances.get(name.provider);
  if (name === null || provider === null) return null;
  instances.mention(name.name);
  try {
    const planned = (await provider.find?.(name.name, signal)) ?? null;
    if (planned !== null) return await completed(options, planned);
    const listed = (await provider.listModels(signal)).find((model) => model.id === id);
    const found = listed ?? provider.knows?.(name.name) ?? null;
    return found === null ? null : await completed(options, found);
  } catch {
    // An endpoint that cannot be asked has no models; the turn then says that the model is not there. One that
    // refuses (a key is missing, or was taken back) says so when it is called.
    const known = provider.knows?.(name.name) ?? null;
    return known === null ? null : completed(options, known);
  }
}

function dependenciesOf(
  options: AvailableModelsOptions,
  id: string,
  settings: ProviderSettings,
  paths: ReadonlySet<string>,
): ProviderDependencies {
  const { store, llama, cacheDir, workerPath, nodePath, now } = options;
  return {
    cacheDir,
    now,
    workerPath,
    nodePath,
    llama,
    localEngines: options.localEngines,
    ...(options.strain === undefined ? {} : { strain: options.strain }),
    grantContext: options.context.grant,
    fitsBeside: options.context.fitsBeside,
    stepDown: options.context.stepDown,
    loadSteps: options.loadSteps,
    fetch: options.fetch,
    serverMemoryPlanner: options.serverMemoryPlanner,
    ownOllamaServer: options.ownOllamaServer,
    ownLlamaServer: options.ownLlamaServer,
    readHeader: options.readHeader,
    draftVerdict: (name) => options.probed.drafts(`${id}/${name}`),
    freeHostBytes: options.freeHostBytes,
    ollamaHost: options.ollamaHost,
    secret: async (name) => (name === 'apiKey' ? options.secret(id, settings) : null),
    modelFile: async (name) => {
      const model = await store.find(name);
      if (model === null || !model.isInstalled || model.path === null) return null;
      const { path, contextTokens, parametersB, label, strategies, efforts, adapter, use } = model;
      return {
        path,
        contextTokens,
        parametersB,
        label,
        strategies,
        adapter,
        drafters: await options.draftersOf(path),
        ...(use === undefined ? {} : { use }),
        ...thinkingOf(efforts, await options.effortOf(path)),
      };
    },
    localModels: async () => {
      const installed = (await store.list()).filter((model) => model.isInstalled).map((model) => model.name);
      return [...new Set([...installed, ...paths])];
    },
  };
}

/** Where no source advises one, a model thinks as little as it can. */
function thinkingOf(efforts: readonly Effort[], advised: Effort | null): Pick<ModelInfo, 'effort' | 'efforts'> {
  const [least] = efforts;
  if (least === undefined) return {};
  return { efforts, effort: advised !== null && efforts.includes(advised) ? advised : least };
}

/** What its provider does not know: how it is best driven, and what it costs. */
async function completed(options: AvailableModelsOptions, model: ModelInfo): Promise<ModelInfo> {
  return withPrice(options, await options.probed.driven(model));
}

/** The user's own price first, then what the service says, then the list that came with Dewpoint. */
async function withPrice(options: AvailableModelsOptions, model: ModelInfo): Promise<ModelInfo> {
  const current = options.settings();
  const at = options.now();
  const own = current.prices[model.id];
  if (own !== undefined) return { ...model, price: { ...own, source: 'settings', date: localDay(at) } };
  if (model.price !== null || model.where === 'local') return model;
  const settings = current.providers[model.provider] ?? knownProviderSettings(model.provider);
  if (settings === null) return model;
  return { ...model, price: await options.price({ settings, name: model.name, at }) };
}

async function withInfo(entry: ModelEntry, info: AvailableModels['info'], signal: AbortSignal): Promise<ModelEntry> {
  if (entry.info !== null || entry.state !== 'ready') return entry;
  return { ...entry, info: await info(entry.id, signal) };
}

/** Only models whose memory is this machine's. */
function isPlanned(options: AvailableModelsOptions, id: string): boolean {
  return id.startsWith('llama-cpp/') || isOfOwnServer(options, id);
}

/** A llama-server that we start has the model files of the engine inside. */
function isOfOwnServer({ settings }: AvailableModelsOptions, id: string): boolean {
  const provider = splitModelId(id)?.provider;
  return provider !== undefined && settings().providers[provider]?.kind === 'llama-server';
}

async function withFile(options: AvailableModelsOptions, entry: ModelEntry): Promise<ModelEntry> {
  const named = isOfOwnServer(options, entry.id) ? splitModelId(entry.id) : null;
  const file = named === null ? null : await options.store.find(named.name);
  return file === null ? entry : { ...entry, sizeBytes: file.bytes, licence: file.license };
}

/** What to do about a model that was not found. */
type HintFor = (id: string) => Promise<string>;

async function notFound(id: string, hintFor: HintFor): Promise<AppError> {
  return new AppError('not-found', `The model ${id} was not found.`, { hint: await hintFor(id) });
}

async function fileNameOf(id: string, what: string, hintFor: HintFor): Promise<string> {
  const name = splitModelId(id);
  if (name?.provider === 'llama-cpp') return name.name;
  throw new AppError('bad-input', `${id} cannot be ${what}.`, { hint: await hintFor(id) });
}

async function pull(
  store: ModelStore,
  name: string,
  onProgress: (progress: PullProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  let total: number | null = null;
  const done = await store.ensure(name, {
    signal,
    onProgress: ({ phase, doneBytes, totalBytes }) => {
      total = totalBytes;
      onProgress({ phase: pullPhases[phase], doneBytes, totalBytes, text: '' });
    },
  });
  onProgress({ phase: 'done', doneBytes: total ?? 0, totalBytes: total, text: valueOf(done) });
}
