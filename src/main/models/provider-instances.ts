import type { ModelInfo } from '@shared/models/model-info.ts';
import { splitModelId } from '@shared/models/model-info.ts';
import type { ProviderSettings, Settings } from '@shared/settings/settings.ts';
import { builtInProviders, knownProviderSettings } from '@shared/settings/settings.ts';
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
  /** The key of a provider. Null: it has none. */
  readonly secret: (provider: string, settings: ProviderSettings) => Promise<string | null>;
  /** Used for all requests to services on the network. */
  readonly fetch: typeof fetch;
  readonly now: () => number;
}

/** The providers that are set up or built in. */
export interface ProviderInstances {
  readonly ids: () => readonly string[];
  readonly get: (id: string) => Provider | null;
  /** Asks the service afresh, with `key` or the configured one. Rejects where the service refuses. Keeps nothing. */
  readonly ask: (providerId: string, signal: AbortSignal, key?: string) => Promise<AskedService>;
  readonly dispose: () => Promise<void>;
}

/** One provider for each entry of the settings. It is created again when its entry changes. */
export function createProviderInstances(options: ProviderInstancesOptions): ProviderInstances {
  const made = new Map<string, { readonly key: string; readonly provider: Provider }>();
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
    const provider = definition.create(dependenciesOf(options, id, settings), { id, settings });
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
      const own = dependenciesOf(options, id, bare);
      const dependencies = key === undefined ? own : { ...own, secret: async () => key };
      const withKey = definition.create(dependencies, { id, settings: bare });
      const without = definition.create({ ...dependencies, secret: async () => null }, { id, settings: bare });
      try {
        return await askService({ withKey, without, hasKey: (await dependencies.secret('apiKey')) !== null }, signal);
      } finally {
        await Promise.all([withKey.dispose(), without.dispose()]);
      }
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
  { now, fetch, secret }: ProviderInstancesOptions,
  id: string,
  settings: ProviderSettings,
): ProviderDependencies {
  return { now, fetch, secret: async (name) => (name === 'apiKey' ? secret(id, settings) : null) };
}
