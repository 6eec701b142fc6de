import { isAbsolute } from 'node:path';
import type { Strain } from '@shared/models/machine-strain.ts';
import type { Effort, ModelInfo } from '@shared/models/model-info.ts';
import { splitModelId } from '@shared/models/model-info.ts';
import type { ProviderSettings, Settings } from '@shared/settings/settings.ts';
import { builtInProviders, knownProviderSettings } from '@shared/settings/settings.ts';
import type { ProbeResults } from './probe-model.ts';
import type { LocalEngines } from './engine/local-engines.ts';
import type { LoadSteps } from './memory/load-steps.ts';
import type { ContextGrants } from './memory/grant-context.ts';
import type { LlamaEngine } from './engine/llama-engine.ts';
import type { ModelStore } from './files/model-store.ts';
import type { OwnLlamaServer } from './engine/llama-server/own-llama-server.ts';
import type { OwnOllamaServer } from './engine/own-ollama-server.ts';
import type { ReadHeader } from './memory/gguf/gguf-header-reader.ts';
import type { ServerMemoryPlanner } from './memory/server-memory-planner.ts';
import type { Provider, ProviderDependencies } from './providers/define.ts';
import type { ProviderRegistry } from './providers/registry.ts';

export interface AskedService {
  readonly models: readonly ModelInfo[];
  /** The service gives this list without a key, too, so it does not show whether the key is valid. */
  readonly isOpen: boolean;
}

export interface ProviderInstancesOptions {
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
  /** The environment variable `OLLAMA_HOST`. */
  readonly ollamaHost: string | undefined;
  /** Whether this machine is under strain. Absent: nothing checks that. */
  readonly strain?: () => Promise<Strain>;
  /** The recommended thinking effort for the model family of a file. Null: no recommendation. */
  readonly effortOf: (path: string) => Promise<Effort | null>;
  /** What the catalog says about files that can draft for this file. Undefined: nothing. */
  readonly draftersOf: (path: string) => Promise<string | undefined>;
  /** The key of a provider. Null: it has none. */
  readonly secret: (provider: string, settings: ProviderSettings) => Promise<string | null>;
  /** Used for all requests to services on the network. */
  readonly fetch: typeof fetch;
  readonly now: () => number;
  /** What a probe found of the drafts of a model. */
  readonly probed: Pick<ProbeResults, 'drafts'>;
}

/** The providers that are set up or built in. */
export interface ProviderInstances {
  readonly ids: () => readonly string[];
  readonly get: (id: string) => Provider | null;
  /** Asks the service afresh, with `key` or the configured one. Rejects where the service refuses. Keeps nothing. */
  readonly ask: (providerId: string, signal: AbortSignal, key?: string) => Promise<AskedService>;
  /** Remembers a model file that was named by its path, so that its provider lists it, too. */
  readonly mention: (name: string) => void;
  readonly dispose: () => Promise<void>;
}

/** One provider for each entry of the settings. It is created again when its entry changes. */
export function createProviderInstances(options: ProviderInstancesOptions): ProviderInstances {
  const made = new Map<string, { readonly key: string; readonly provider: Provider }>();
  const paths = new Set<string>();
  const configured = (): Readonly<Record<string, ProviderSettings>> => ({
    ...builtInProviders,
    ...options.settings().providers,
  });
  const get = (id: string): Provider | null => {
    // A well-known service can be used without an entry. Only services with an entry are listed.
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
      // The chosen cloud model may belong to a well-known service without an entry.
      const cloud = splitModelId(options.settings().cloud ?? '')?.provider;
      return [...new Set([...Object.keys(configured()), ...(cloud === undefined ? [] : [cloud])])];
    },
    get,
    ask: async (id, signal, key) => {
      const settings = configured()[id] ?? knownProviderSettings(id);
      const definition = settings === null ? undefined : options.registry.get(settings.kind);
      if (settings === null || definition === undefined) return { models: [], isOpen: false };
      // The models named in the settings are left out: they would serve as a fallback and hide a refusal.
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

/**
 * Lists the models, and checks that the key is valid. Some services list their models without a key, so a list alone
 * proves nothing about it.
 */
async function askService({ withKey, without, hasKey }: ServiceAccess, signal: AbortSignal): Promise<AskedService> {
  const models = await withKey.list(signal);
  if (!hasKey) return { models, isOpen: false };
  if (withKey.tryKey !== undefined) {
    await withKey.tryKey(signal);
    return { models, isOpen: false };
  }
  // Without a key, a refusal is the normal answer.
  const open = await without.list(signal).catch(() => []);
  return { models, isOpen: open.some(({ listedOn }) => listedOn === undefined) };
}

function dependenciesOf(
  options: ProviderInstancesOptions,
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

/** Without a recommended effort, a model thinks as little as it can. */
function thinkingOf(efforts: readonly Effort[], advised: Effort | null): Pick<ModelInfo, 'effort' | 'efforts'> {
  const [least] = efforts;
  if (least === undefined) return {};
  return { efforts, effort: advised !== null && efforts.includes(advised) ? advised : least };
}
