import { AppError, messageOf } from '@shared/errors.ts';
import type { ProviderSettings, Settings } from '@shared/settings/settings.ts';
import { isKeyless, keyVariableOf, knownProviderNames, knownProviderSettings } from '@shared/settings/settings.ts';
import type { HostPrograms } from '../../lib/programs/host-programs.ts';
import { createKeyClient } from './key-client.ts';
import type { StoreState } from './key-store.ts';
import { createKeyStore } from './key-store.ts';
import type { LongSecrets } from './long-secrets.ts';
import { createLongSecrets } from './long-secrets.ts';
import type { Keys, KeysOptions } from './provider-keys.ts';
import { createKeys } from './provider-keys.ts';
import type { KeySignIns } from './key-sign-ins.ts';
import type { AskedService } from '../../models/provider-instances.ts';
import type { KeyOutcome, KeyReport, KeyTest } from '@shared/contract/keys-contract.ts';

/** The keys of this home: the user sets, lists and removes them, and providers use them. */
export interface HomeKeys {
  /** The key for a provider that makes a call; null: there is none, or the key store does not return it. */
  readonly secret: (provider: string, settings: ProviderSettings) => Promise<string | null>;
  readonly list: () => Promise<KeyReport>;
  readonly set: (
    input: { readonly provider: string; readonly value: string; readonly forThisRun: boolean },
    signal: AbortSignal,
  ) => Promise<KeyOutcome>;
  /** Signs in and sets the key that the sign-in gives. */
  readonly signIn: (
    input: { readonly provider: string; readonly forThisRun: boolean },
    how: Parameters<KeySignIns['run']>[1],
  ) => Promise<KeyOutcome>;
  readonly signIns: Pick<KeySignIns, 'waiting' | 'deliver'>;
  /** Tests a key without storing it. */
  readonly try: (provider: string, value: string, signal: AbortSignal) => Promise<KeyTest>;
  /** Tests the present key of a configured provider. */
  readonly test: (provider: string, signal: AbortSignal) => Promise<KeyTest>;
  readonly remove: (provider: string) => Promise<void>;
  /** Puts back a key that was just removed. Rejects with `not-found` if there is none. */
  readonly restore: (provider: string) => Promise<void>;
  /** Secrets of other parts of Dewpoint, under names of their own (`tools.SERVER.VARIABLE`). */
  readonly own: {
    /**
     * The environment variable `variable` takes precedence, if it is given and set. Null also if the key store does not
     * open.
     */
    readonly find: (name: string, variable: string | null) => Promise<string | null>;
    /** What the key store holds. Rejects if it does not open, so null means that there is none. */
    readonly read: (name: string) => Promise<string | null>;
    /** Rejects if the key store does not open. */
    readonly set: (name: string, value: string) => Promise<void>;
    readonly remove: (name: string) => Promise<void>;
  };
  /** Secrets that other processes change too and that may be long, such as sign-ins. */
  readonly long: LongSecrets;
  readonly dispose: () => void;
}

export interface HomeKeysOptions {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly nodePath: string;
  readonly processPath: string;
  readonly programs: HostPrograms;
  readonly settings: () => Settings;
  /** Adds a service to the providers in the settings, so that its models are listed; null: removes it. */
  readonly keepService: (provider: string, service: ProviderSettings | null) => Promise<void>;
  readonly learn: KeysOptions['learn'];
  /** Shows the user a sentence about a key store that does not open. */
  readonly onNotice: (text: string) => void;
  /** What the service answers to a key, or to the stored one. Rejects if the service refuses it. */
  readonly askModels: (provider: string, signal: AbortSignal, key?: string) => Promise<AskedService>;
  readonly signIns: KeySignIns;
}

export function createHomeKeys(options: HomeKeysOptions): HomeKeys {
  const { env, settings } = options;
  const client = createKeyClient(options);
  const store = createKeyStore({ client, service: serviceName(options) });
  const keys = createKeys({ store, env, learn: options.learn, dispose: client.dispose });
  const set: HomeKeys['set'] = async ({ provider, value, forThisRun }, signal) => {
    mustBeKnown(provider, settings());
    const key = keyOf(value);
    if (forThisRun) keys.setForThisRun(provider, key);
    else await keep(keys, provider, key);
    await setUp(options, provider);
    const kept = forThisRun ? 'this-run' : 'store';
    return { kept, ...(await tryKey(options.askModels, provider, signal)) };
  };
  return {
    secret: secretsFor(keys, options.onNotice),
    list: async () => {
      const entries = await keys.list(ownersOf(settings()));
      return {
        store: entries.store,
        keys: entries.sources.map(({ owner, source }) => ({ ...owner, source })),
      };
    },
    set,
    signIn: async ({ provider, forThisRun }, how) => {
      mustBeKnown(provider, settings());
      options.signIns.mustOffer(provider);
      // Checked before the user is sent to a browser, because the new key must be storable.
      if (!forThisRun) mustKeep(await store.state(), `keys sign-in ${provider}`, 'Nobody can sign in now');
      return set({ provider, value: await options.signIns.run(provider, how), forThisRun }, how.signal);
    },
    signIns: options.signIns,
    try: async (provider, value, signal) => {
      mustBeKnown(provider, settings());
      const key = keyOf(value);
      options.learn({ kind: `${provider}-key`, value: key });
      return tryKey((one, stop) => options.askModels(one, stop, key), provider, signal);
    },
    test: async (provider, signal) => {
      mustBeKnown(provider, settings());
      return tryKey(options.askModels, provider, signal);
    },
    remove: async (provider) => {
      mustBeKnown(provider, settings());
      mustBeReady(await keys.remove(provider));
      // The provider is removed only if it was added with its key.
      const plain = knownProviderSettings(provider);
      const own = settings().providers[provider];
      if (plain !== null && JSON.stringify(own) === JSON.stringify(plain)) await options.keepService(provider, null);
    },
    restore: async (provider) => {
      mustBeKnown(provider, settings());
      const state = await keys.restore(provider);
      if (state === null) {
        throw new AppError('not-found', `The key of ${provider} is no longer kept.`, {
          hint: 'Copy it from the provider, and set it again.',
        });
      }
      mustBeReady(state);
      await setUp(options, provider);
    },
    own: ownSecrets(keys),
    long: createLongSecrets(store),
    dispose: keys.dispose,
  };
}

/**
 * The key for a call. A key that cannot be read stops the call, and the error names the key store: the service would
 * only say that there is no key.
 */
function secretsFor(keys: Keys, onNotice: HomeKeysOptions['onNotice']): HomeKeys['secret'] {
  const told = new Set<string>();
  const tell = (text: string): void => {
    if (!told.has(text)) onNotice(text);
    told.add(text);
  };
  return async (provider, own) => {
    const variable = keyVariableOf(own);
    const found = await keys.find({ provider, variable });
    if (found.type === 'stored') {
      if (isKey(found.value)) return found.value;
      const where = found.source === 'environment' ? ` (${variable ?? ''} in the environment)` : '';
      tell(`The key of ${provider}${where} is not used. ${noKey}`);
      return null;
    }
    if (found.type === 'absent') return null;
    // A server of one's own may not need a key.
    if (variable === null && !isCloud(own)) return null;
    // Where there is no key store, there is no key in it: the service says what it needs.
    if (found.type === 'unavailable') {
      if (variable !== null) tell(`${found.message} ${found.hint}`);
      return null;
    }
    throw new AppError('missing-key', `The key of ${provider} cannot be read: ${found.message} Nothing was sent.`, {
      hint: found.hint,
    });
  };
}

function isCloud(own: ProviderSettings): boolean {
  return own.kind === 'openai-compatible' && own.preset === undefined && own.where !== 'local';
}

/** A moved home has keys of its own, so that a test never finds the user's keys. */
function serviceName({ home, env }: HomeKeysOptions): string {
  return env.DEWPOINT_HOME === undefined || env.DEWPOINT_HOME === '' ? 'dewpoint' : `dewpoint ${home}`;
}

function ownersOf(settings: Settings): readonly { readonly provider: string; readonly variable: string | null }[] {
  const services = knownProviderNames.flatMap((provider) => {
    const own = settings.providers[provider] ?? knownProviderSettings(provider);
    const variable = own === null ? null : keyVariableOf(own);
    return variable === null ? [] : [{ provider, variable }];
  });
  const others = Object.entries(settings.providers)
    .filter(([provider, own]) => !knownProviderNames.includes(provider) && !isKeyless(own))
    .map(([provider, own]) => ({ provider, variable: keyVariableOf(own) }));
  return [...services, ...others];
}

function mustBeKnown(provider: string, settings: Settings): void {
  const known = [...new Set([...Object.keys(settings.providers), ...knownProviderNames])];
  if (known.includes(provider)) return;
  throw new AppError('not-found', `The provider ${provider} was not found.`, {
    hint: `Choose one of: ${known.join(', ')}. Add another: dewpoint settings set providers.NAME '{"kind": "openai-compatible", "baseUrl": "…"}'`,
  });
}

async function setUp({ settings, keepService }: HomeKeysOptions, provider: string): Promise<void> {
  const service = knownProviderSettings(provider);
  if (service !== null && settings().providers[provider] === undefined) await keepService(provider, service);
}

const noKey = 'This is not a key: it has a space, a line break or another character that keys do not have.';

/** A header can carry no other characters. */
function isKey(value: string): boolean {
  return /^[\x21-\x7e]+$/.test(value);
}

/** The key in a pasted text, without white space around it. */
function keyOf(value: string): string {
  const key = value.trim();
  if (isKey(key)) return key;
  throw new AppError('bad-input', noKey, { hint: 'Nothing was kept. Copy the key from the provider again.' });
}

function mustBeReady(state: StoreState): void {
  if (state.type !== 'ready') throw new AppError('missing-key', state.message, { hint: state.hint });
}

const ownSecrets = (keys: Keys): HomeKeys['own'] => ({
  find: async (name, variable) => {
    const found = await keys.find({ provider: name, variable });
    return found.type === 'stored' ? found.value : null;
  },
  read: async (name) => {
    const found = await keys.find({ provider: name, variable: null });
    if (found.type === 'stored') return found.value;
    if (found.type === 'absent') return null;
    throw new AppError('missing-key', `The key was not read: ${found.message}`, { hint: found.hint });
  },
  // Only the key of a provider can be set for a run, or come from the environment.
  set: async (name, value) => {
    const state = await keys.set(name, value);
    if (state.type === 'ready') return;
    throw new AppError('missing-key', `The key was not kept: ${state.message}`, { hint: state.hint });
  },
  remove: async (name) => void (await keys.remove(name)),
});

async function keep(keys: Keys, provider: string, value: string): Promise<void> {
  mustKeep(await keys.set(provider, value), `keys set ${provider}`, 'The key was not kept');
}

function mustKeep(state: StoreState, command: string, what: string): void {
  if (state.type === 'ready') return;
  throw new AppError('missing-key', `${what}: ${state.message}`, {
    hint: `${state.hint} Or run dewpoint ${command} --this-run, to keep it only while the app or dewpoint serve runs. Or set it in the environment.`,
  });
}

/** Lists models, which costs nothing and needs the key at most services. */
async function tryKey(
  askModels: HomeKeysOptions['askModels'],
  provider: string,
  signal: AbortSignal,
): Promise<KeyTest> {
  try {
    const { models, isOpen } = await askModels(provider, signal);
    const bundled = models.find(({ listedOn }) => listedOn !== undefined);
    if (bundled !== undefined) return { test: 'unknown', text: bundled.note ?? '' };
    const text = `The provider lists ${models.length} model${models.length === 1 ? '' : 's'}.`;
    return { test: isOpen ? 'open' : 'accepted', text };
  } catch (error) {
    const text = messageOf(error);
    return { test: /\b40[13]\b|auth|api key|unauthori[sz]ed|forbidden/iu.test(text) ? 'refused' : 'unknown', text };
  }
}
