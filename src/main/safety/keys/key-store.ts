import { randomBytes } from 'node:crypto';
import type { KeyClient, KeyResult } from './key-client.ts';

/** The state of the system's key store; `message` says what is wrong and `hint` what to do. */
export type StoreState =
  | { readonly type: 'ready' }
  | { readonly type: 'locked' | 'unavailable'; readonly message: string; readonly hint: string };

export type StoredKey =
  | { readonly type: 'stored'; readonly value: string }
  | { readonly type: 'absent' }
  | Exclude<StoreState, { type: 'ready' }>;

/**
 * Keys in the system's key store, and nowhere else. The answer "absent" is given only after the store kept and returned
 * a test value, because a locked store also returns nothing. Every call has a time limit.
 */
export interface KeyStore {
  readonly state: () => Promise<StoreState>;
  readonly get: (name: string) => Promise<StoredKey>;
  /** Which of the names are stored; only for a store that is known to be ready. */
  readonly has: (names: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Waits longer than the other calls, because the user may be typing the password of the store. */
  readonly set: (name: string, value: string) => Promise<StoreState>;
  readonly remove: (name: string) => Promise<StoreState>;
}

export interface KeyStoreOptions {
  readonly client: KeyClient;
  /** The service name that groups all keys of one home. */
  readonly service: string;
  readonly patienceMs?: number;
  readonly setPatienceMs?: number;
}

export function createKeyStore({
  client,
  service,
  patienceMs = 5_000,
  setPatienceMs = 60_000,
}: KeyStoreOptions): KeyStore {
  /** Stores a random value and reads it back, which is the only way to tell that the store works. */
  const probe = async (timeoutMs: number): Promise<StoreState> => {
    const account = `probe-${randomBytes(6).toString('hex')}`;
    const value = randomBytes(12).toString('hex');
    const set = await client.call({ type: 'set', service, account, value }, timeoutMs);
    if (set.type !== 'done') return stateOf(set);
    const got = await client.call({ type: 'get', service, account }, patienceMs);
    await client.call({ type: 'delete', service, account }, patienceMs);
    if (got.type !== 'done') return stateOf(got);
    return got.value === value ? { type: 'ready' } : locked;
  };
  return {
    state: () => probe(patienceMs),
    get: async (name) => {
      const got = await client.call({ type: 'get', service, account: name }, patienceMs);
      if (got.type !== 'done') return notReady(stateOf(got));
      if (got.value !== null) return { type: 'stored', value: got.value };
      const state = await probe(patienceMs);
      return state.type === 'ready' ? { type: 'absent' } : state;
    },
    has: async (names) => {
      const there = new Set<string>();
      for (const name of names) {
        const got = await client.call({ type: 'get', service, account: name }, patienceMs);
        if (got.type === 'done' && got.value !== null) there.add(name);
      }
      return there;
    },
    set: async (name, value) => {
      const set = await client.call({ type: 'set', service, account: name, value }, setPatienceMs);
      if (set.type !== 'done') return stateOf(set);
      const got = await client.call({ type: 'get', service, account: name }, patienceMs);
      return got.type === 'done' && got.value === value ? { type: 'ready' } : stateOf(got);
    },
    remove: async (name) => {
      const state = await probe(setPatienceMs);
      if (state.type !== 'ready') return state;
      const removed = await client.call({ type: 'delete', service, account: name }, patienceMs);
      return removed.type === 'done' ? state : stateOf(removed);
    },
  };
}

const locked: Exclude<StoreState, { type: 'ready' }> = {
  type: 'locked',
  message: 'Your system’s key store is locked.',
  hint: 'Unlock it (on Linux: log in to the desktop, or open its password manager), then try again.',
};

function stateOf(result: KeyResult): StoreState {
  switch (result.type) {
    case 'done':
      return locked;
    case 'no-answer':
      return {
        ...locked,
        message: 'Your system’s key store does not answer. It may be locked and waiting for its password.',
      };
    case 'not-loaded':
      return unavailable(result.message, 'On Debian and Ubuntu: sudo apt-get install libsecret-1-0');
    case 'failed':
      if (/locked|prompt was dismissed/iu.test(result.message)) return locked;
      return unavailable(
        result.message,
        process.platform === 'linux'
          ? 'Desktops have one (gnome-keyring, KWallet). Without a desktop, use dbus-run-session and gnome-keyring-daemon.'
          : 'Check the messages of your system.',
      );
    default:
      return result satisfies never;
  }
}

function notReady(state: StoreState): StoredKey {
  return state.type === 'ready' ? locked : state;
}

function unavailable(why: string, hint: string): StoreState {
  return {
    type: 'unavailable',
    message: `Your system has no usable key store: ${oneLine(why).replace(/\.$/u, '')}.`,
    hint,
  };
}

function oneLine(text: string): string {
  return (
    text
      .replace(/^Error:\s*/u, '')
      .split('\n')[0]
      ?.slice(0, 200) ?? ''
  );
}
