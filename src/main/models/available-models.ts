import { AppError, valueOf } from '@shared/errors.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { KeptCard } from '@shared/models/probe-card.ts';
import { splitModelId } from '@shared/models/model-info.ts';
import type { Price } from '@shared/money/token-cost.ts';
import { builtInProviders, knownProviderNames, knownProviderSettings } from '@shared/settings/settings.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { createModelEntryFinder } from './find-model-entry.ts';
import { entryOfFile, entryOfHeader } from './model-entries.ts';
import type { ProbeResults } from './probe-model.ts';
import type { EngineLibraries } from './engine/engine-libraries.ts';
import type { HubModels } from './files/hub-models.ts';
import { refusingUnknownModels } from './known-models.ts';
import { notFoundHint } from './not-found-hint.ts';
import { pullPhases } from './files/pull-phases.ts';
import type { ServerStatus } from './model-servers.ts';
import { addServerAdapter, repairServerModel, pullFromServer, listServers } from './model-servers.ts';
import type { FileToAdd } from './files/stored-model.ts';
import type { KnownHeader } from './files/model-catalog.ts';
import type { ModelStore } from './files/model-store.ts';
import type { Handlers } from '../server/handlers.ts';
import { localDay } from '../money/local-day.ts';
import type { PricedModel } from '../money/price-list.ts';
import type { Provider } from './providers/define.ts';
import type {
  EngineCardsReport,
  ModelEntry,
  ModelRepair,
  ModelRemoval,
  PullProgress,
  ModelAdvice,
} from '@shared/contract/models-contract.ts';
import type { ProviderInstances, ProviderInstancesOptions } from './provider-instances.ts';
import { createProviderInstances } from './provider-instances.ts';
import { noteFailure } from '../lib/log.ts';

/** The models of all configured providers, whether they can be called now or must be downloaded first. */
export interface AvailableModels {
  /** Null if the provider is not set up, the file is not on this machine, or the endpoint does not know the model. */
  readonly info: (id: string, signal: AbortSignal) => Promise<ModelInfo | null>;
  readonly provider: (providerId: string) => Provider | null;
  readonly ask: ProviderInstances['ask'];
  readonly list: (signal: AbortSignal) => Promise<readonly ModelEntry[]>;
  readonly show: (id: string, fit: boolean, signal: AbortSignal) => Promise<ModelEntry>;
  /** The same handlers, which refuse a model that cannot exist: of no known provider, or no file. No service is asked. */
  readonly refusingUnknown: (handlers: Handlers) => Handlers;
  /** Says what is wrong with a model of a server. Repairs it only if `apply` is true. */
  readonly repair: (id: string, apply: boolean, signal: AbortSignal) => Promise<ModelRepair>;
  /** The state of each model server that is set up, or that runs without being set up. */
  readonly servers: (signal: AbortSignal) => Promise<readonly ServerStatus[]>;
  /** How the engine sees the graphics cards of this machine. */
  readonly cards: (signal: AbortSignal) => Promise<EngineCardsReport>;
  /** The user's own llama-server, or how to get one. It is started for its version. */
  readonly lookForServer: EngineLibraries['lookForServer'];
  /** Repositories of the hub by words, which go there. */
  readonly search: HubModels['search'];
  readonly pull: (id: string, onProgress: (progress: PullProgress) => void, signal: AbortSignal) => Promise<void>;
  /** Adds a model file of the user by reference, without copying it. */
  readonly add: (request: FileToAdd, signal: AbortSignal) => Promise<ModelEntry>;
  /** Adds an adapter to a model that is here. Returns the entry of the model with the adapter. */
  readonly addAdapter: (request: FileToAdd & { readonly model: string }, signal: AbortSignal) => Promise<ModelEntry>;
  readonly remove: (id: string, signal: AbortSignal) => Promise<ModelRemoval>;
  readonly dispose: () => Promise<void>;
}

export interface AvailableModelsOptions extends ProviderInstancesOptions {
  readonly store: ModelStore;
  /** Unloads a model file from the built-in engine. */
  readonly release: (path: string) => Promise<void>;
  /** Remembers a model file that was named by its path, so that its provider lists it, too. */
  readonly mention: (name: string) => void;
  readonly engineFiles: EngineLibraries;
  readonly hubModels: HubModels;
  /** The header of a model in the catalog, even of one without a download source. Null: not in the catalog. */
  readonly headerOf: (name: string) => KnownHeader | null;
  /** One line that says what memory a model would get on this machine. Null: unknown. */
  readonly fit: (id: string, signal: AbortSignal) => Promise<string | null>;
  /** Warnings about a model that is on this machine. */
  readonly advise: (entry: ModelEntry, card: KeptCard | null) => Promise<readonly ModelAdvice[]>;
  /** How to drive a model, by probes and settings. */
  readonly probed: Pick<ProbeResults, 'card' | 'driven'>;
  /** The price of a model whose service does not report one. Null: unknown. */
  readonly price: (model: PricedModel) => Promise<Price | null>;
}

export function createAvailableModels(options: AvailableModelsOptions): AvailableModels {
  const { store, engineFiles, hubModels, release } = options;
  const instances = createProviderInstances(options);
  const info: AvailableModels['info'] = (id, signal) => infoOf(options, instances, id, signal);
  const hintFor: HintFor = async (id) => {
    const files = (await store.list()).map(({ name }) => name);
    return notFoundHint(id, files, instances);
  };
  const fileEntry = (name: string): Promise<ModelEntry | null> => entryOfName(options, name);
  const isProvider = (id: string): boolean => instances.get(id) !== null || knownProviderNames.includes(id);
  const entries = createModelEntryFinder({
    get: instances.get,
    mention: options.mention,
    settings: options.settings,
    fileEntry,
    completed: (model) => completed(options, model),
    isBuiltIn: (id) => id in builtInProviders,
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
    refusingUnknown: (handlers) =>
      refusingUnknownModels(handlers, (id) => refuseUnknown(id, { isProvider, fileEntry, hintFor })),
    repair: (id, apply, signal) => repairServerModel(instances, id, { apply, signal }),
    servers: async (signal) =>
      (await Promise.all([engineFiles.status(signal), listServers(instances, options.settings, signal)])).flat(),
    cards: engineFiles.report,
    lookForServer: engineFiles.lookForServer,
    search: hubModels.search,
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
      store.remove(await fileNameOf(id, 'removed', hintFor), { release, signal }),
    dispose: instances.dispose,
  };
}

/** Returns null for a model that is not in the store of a server. */
async function removeFromServer(
  instances: ProviderInstances,
  id: string,
  { signal, hintFor }: { readonly signal: AbortSignal; readonly hintFor: HintFor },
): Promise<ModelRemoval | null> {
  const named = splitModelId(id);
  const store = named === null ? undefined : instances.get(named.provider)?.store;
  if (named === null || store === undefined) return null;
  const removed = await store.remove(named.name, signal);
  if (removed === null) throw await notFound(id, hintFor);
  return { done: 'deleted', path: id, bytes: removed.bytes };
}

async function infoOf(
  options: AvailableModelsOptions,
  instances: ProviderInstances,
  id: string,
  signal: AbortSignal,
): Promise<ModelInfo | null> {
  const name = splitModelId(id);
  const provider = name === null ? null : instances.get(name.provider);
  if (name === null || provider === null) return null;
  options.mention(name.name);
  try {
    const found = await provider.resolve(name.name, signal);
    return found === null ? null : await completed(options, found);
  } catch (error) {
    // If the endpoint cannot be asked, the model counts as missing, and the turn says so.
    noteFailure('An endpoint was not asked for its models', error);
    return null;
  }
}

/** Adds what the provider does not know: how to drive the model, and its price. */
async function completed(options: AvailableModelsOptions, model: ModelInfo): Promise<ModelInfo> {
  return withPrice(options, await options.probed.driven(model));
}

/** The price in the user's settings wins, then the service's own, then the price list that comes with Dewpoint. */
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

/** Whether the model uses this machine's memory by our plan. */
function isPlanned(options: AvailableModelsOptions, id: string): boolean {
  return id.startsWith('llama-cpp/') || isOfOwnServer(options, id);
}

/** Whether the model runs in a llama-server that we start. It uses the same model files as the built-in engine. */
function isOfOwnServer({ settings }: AvailableModelsOptions, id: string): boolean {
  const provider = splitModelId(id)?.provider;
  return provider !== undefined && settings().providers[provider]?.kind === 'llama-server';
}

async function withFile(options: AvailableModelsOptions, entry: ModelEntry): Promise<ModelEntry> {
  const named = isOfOwnServer(options, entry.id) ? splitModelId(entry.id) : null;
  const file = named === null ? null : await options.store.find(named.name);
  return file === null ? entry : { ...entry, sizeBytes: file.bytes, license: file.license };
}

/** What to do about a model that was not found. */
type HintFor = (id: string) => Promise<string>;

async function entryOfName(
  { store, headerOf }: Pick<AvailableModelsOptions, 'store' | 'headerOf'>,
  name: string,
): Promise<ModelEntry | null> {
  const file = await store.find(name);
  return file === null ? entryOfHeader(headerOf(name)) : entryOfFile(file);
}

interface NamesOfModels {
  readonly isProvider: (id: string) => boolean;
  readonly fileEntry: (name: string) => Promise<ModelEntry | null>;
  readonly hintFor: HintFor;
}

/** Rejects for a model that cannot exist. No service is asked. */
async function refuseUnknown(id: string, { isProvider, fileEntry, hintFor }: NamesOfModels): Promise<void> {
  const name = splitModelId(id);
  const isThere =
    name !== null &&
    isProvider(name.provider) &&
    (name.provider !== 'llama-cpp' || (await fileEntry(name.name)) !== null);
  if (isThere) return;
  throw new AppError('missing-model', `The model ${seenName(id)} was not found.`, {
    hint: `Nothing was started or changed. ${await hintFor(id)}`,
  });
}

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
    onProgress: ({ phase, doneBytes, totalBytes, source = '' }) => {
      total = totalBytes;
      onProgress({ phase: pullPhases[phase], doneBytes, totalBytes, text: source });
    },
  });
  onProgress({ phase: 'done', doneBytes: total ?? 0, totalBytes: total, text: valueOf(done) });
}
