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
import type { AskedService } from '../../models/available-models.ts';
import type { KeyOutcome, KeyReport, KeyTest } from '@shared/contract/keys-contract.ts';

/** The keys of this home: set, listed and removed by a person, found by providers. */
export interface HomeKeys {
  /** For a provider that makes a call; null: there is none, or the store does not give it. */
  readonly secret: (provider: string, settings: ProviderSettings) => Promise<string | null>;
  readonly list: () => Promise<KeyReport>;
  readonly set: (
    input: { readonly provider: string; readonly value: string; readonly forThisRun: boolean },
    signal: AbortSignal,
  ) => Promise<KeyOutcome>;
  /** Sets the key that a sign-in ended in. */
  readonly signIn: (
    input: { readonly provider: string; readonly forThisRun: boolean },
    how: Parameters<KeySignIns['run']>[1],
  ) => Promise<KeyOutcome>;
  readonly signIns: Pick<KeySignIns, 'waiting' | 'deliver'>;
  /** Keeps nothing. */
  readonly try: (provider: string, value: string, signal: AbortSignal) => Promise<KeyTest>;
  /** Of a provider that is set up; its key as it is now. */
  readonly test: (provider: string, signal: AbortSignal) => Promise<KeyTest>;
  readonly remove: (provider: string) => Promise<void>;
  /** Rejects with `not-found` where none was removed a moment ago. */
  readonly restore: (provider: string) => Promise<void>;
  /** Secrets of other parts of Dewpoint, by names of their own (`tools.SERVER.VARIABLE`). Rejects where the store does not open. */
  readonly own: {
    /** The environment goes first, where `variable` names one. */
    readonly find: (name: string, variable: string | null) => Promise<string | null>;
    readonly set: (name: string, value: string) => Promise<void>;
    readonly remove: (name: string) => Promise<void>;
  };
  /** Secrets that other processes change, too, and that may be long: what people signed in to. */
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
  /** Keeps a service among the providers of the settings, so that its models are listed; null: takes it out. */
  readonly keepService: (provider: string, service: ProviderSettings | null) => Promise<void>;
  readonly learn: KeysOptions['learn'];
  /** A sentence for a person: a key store that does not open. */
  readonly onNotice: (text: string) => void;
  /** What its service says now to a key, or to the one that is set; rejects where it says no. */
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
      // Before the person is sent anywhere: the key that they bring back has to be kept.
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
      // Only what came with a key goes with it.
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
    own: {
      find: async (name, variable) => {
        const found = await keys.find({ provider: name, variable });
        return found.type === 'stored' ? found.value : null;
      },
      set: (name, value) => keep(keys, name, value),
      remove: async (name) => void (await keys.remove(name)),
    },
    long: createLongSecrets(store),
    dispose: keys.dispose,
  };
}

/** The key for a call. Why there is none is said once: the service will refuse the call. */
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
    // An endpoint that no service is known behind may well need no key.
    if (found.type !== 'absent' && variable !== null) tell(`${found.message} ${found.hint}`);
    return null;
  };
}

/** Homes that were moved have keys of their own, so that a test never finds a person's. */
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

/** No header could carry another. */
function isKey(value: string): boolean {
  return /^[\x21-\x7e]+$/.test(value);
}

/** What a person pasted, without what came along at its ends. */
function keyOf(value: string): string {
  const key = value.trim();
  if (isKey(key)) return key;
  throw new AppError('bad-input', noKey, { hint: 'Nothing was kept. Copy the key from the provider again.' });
}

function mustBeReady(state: StoreState): void {
  if (state.type !== 'ready') throw new AppError('missing-key', state.message, { hint: state.hint });
}

async function keep(keys: Keys, provider: string, value: string): Promise<void> {
  mustKeep(await keys.set(provider, value), `keys set ${provider}`, 'The key was not kept');
}

function mustKeep(state: StoreState, command: string, what: string): void {
  if (state.type === 'ready') return;
  throw new AppError('missing-key', `${what}: ${state.message}`, {
    hint: `${state.hint} Or run dewpoint ${command} --this-run, to keep it only while the app or dewpoint serve runs. Or set it in the environment.`,
  });
}

/** The list of models costs nothing and needs the key at most services. */
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
