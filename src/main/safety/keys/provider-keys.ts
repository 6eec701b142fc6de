import type { KeyStore, StoreState } from './key-store.ts';
import type { RemovedKeys } from './removed-keys.ts';
import { createRemovedKeys } from './removed-keys.ts';

export type KeySource = 'environment' | 'this-run' | 'store';

/** The key of a provider and its source, or why there is none. */
export type FoundKey =
  | { readonly type: 'stored'; readonly value: string; readonly source: KeySource }
  | { readonly type: 'absent' }
  | Exclude<StoreState, { type: 'ready' }>;

/** A provider that needs a key. */
export interface KeyOwner {
  /** The name of the provider in the settings. */
  readonly provider: string;
  /** The environment variable that may hold the key. */
  readonly variable: string | null;
}

/**
 * The keys of all providers. An environment variable takes precedence, because the user sets it for this run. It is
 * read, never written. A key for this run is kept in memory and ends with this process.
 */
export interface Keys {
  readonly find: (owner: KeyOwner) => Promise<FoundKey>;
  readonly set: (provider: string, value: string) => Promise<StoreState>;
  readonly setForThisRun: (provider: string, value: string) => void;
  /** Keeps the key in memory for `removedKeyMs`, so that the user can undo. */
  readonly remove: (provider: string) => Promise<StoreState>;
  /** Puts a removed key back where it was. Null: there is none any more, or another key was set meanwhile. */
  readonly restore: (provider: string) => Promise<StoreState | null>;
  /** The state of the store, and the source of each owner's key; null: none is known. */
  readonly list: (owners: readonly KeyOwner[]) => Promise<KeyList>;
  readonly dispose: () => void;
}

export interface KeyList {
  readonly store: StoreState;
  readonly sources: readonly { readonly owner: KeyOwner; readonly source: KeySource | null }[];
}

export interface KeysOptions {
  readonly store: KeyStore;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called with every value that is found, so that none of them reaches a log. */
  readonly learn: (secret: { readonly kind: string; readonly value: string }) => void;
  readonly dispose: () => void;
}

export function createKeys({ store, env, learn, dispose }: KeysOptions): Keys {
  const forThisRun = new Map<string, string>();
  const removed = createRemovedKeys();
  /** Keys that were read from the store, so that a model call does not wait for the store every time. */
  const known = new Map<string, string>();
  const found = (provider: string, value: string, source: KeySource): FoundKey => {
    learn({ kind: `${provider}-key`, value });
    return { type: 'stored', value, source };
  };
  return {
    find: async ({ provider, variable }) => {
      // A variable that was read from a file may end in a line break.
      const own = variable === null ? '' : (env[variable] ?? '').trim();
      if (own !== '') return found(provider, own, 'environment');
      const mine = forThisRun.get(provider);
      if (mine !== undefined) return found(provider, mine, 'this-run');
      const read = known.get(provider);
      if (read !== undefined) return found(provider, read, 'store');
      const stored = await store.get(provider);
      if (stored.type !== 'stored') return stored;
      known.set(provider, stored.value);
      return found(provider, stored.value, 'store');
    },
    set: async (provider, value) => {
      learn({ kind: `${provider}-key`, value });
      const state = await store.set(provider, value);
      if (state.type === 'ready') {
        removed.forget(provider);
        known.set(provider, value);
        forThisRun.delete(provider);
      }
      return state;
    },
    setForThisRun: (provider, value) => {
      learn({ kind: `${provider}-key`, value });
      removed.forget(provider);
      forThisRun.set(provider, value);
    },
    ...removal({ store, forThisRun, known, removed }),
    list: async (owners) => {
      const state = await store.state();
      const names = owners.map(({ provider }) => provider);
      const stored = state.type === 'ready' ? await store.has(names) : new Set<string>();
      const sourceOf = ({ provider, variable }: KeyOwner): KeySource | null => {
        if (variable !== null && (env[variable] ?? '').trim() !== '') return 'environment';
        if (forThisRun.has(provider)) return 'this-run';
        return stored.has(provider) ? 'store' : null;
      };
      return { store: state, sources: owners.map((owner) => ({ owner, source: sourceOf(owner) })) };
    },
    dispose: () => {
      forThisRun.clear();
      removed.clear();
      known.clear();
      dispose();
    },
  };
}

interface Holders {
  readonly store: KeyStore;
  readonly forThisRun: Map<string, string>;
  readonly known: Map<string, string>;
  readonly removed: RemovedKeys;
}

function removal({ store, forThisRun, known, removed }: Holders): Pick<Keys, 'remove' | 'restore'> {
  return {
    remove: async (provider) => {
      const thisRun = forThisRun.get(provider) ?? null;
      const found = await store.get(provider);
      const state = found.type === 'stored' ? await store.remove(provider) : found;
      const stored = found.type === 'stored' && state.type === 'ready' ? found.value : null;
      forThisRun.delete(provider);
      known.delete(provider);
      if (stored !== null || thisRun !== null) removed.keep(provider, { thisRun, stored });
      // Removing a key for this run needs no store, and a store without the key has nothing to remove.
      return state.type === 'absent' || thisRun !== null ? { type: 'ready' } : state;
    },
    restore: async (provider) => {
      const key = removed.take(provider);
      if (key === null) return null;
      if (key.thisRun !== null) forThisRun.set(provider, key.thisRun);
      const state: StoreState = key.stored === null ? { type: 'ready' } : await store.set(provider, key.stored);
      // Kept for another try, because the user may unlock the key store meanwhile.
      if (state.type !== 'ready') removed.keep(provider, key);
      return state;
    },
  };
}
