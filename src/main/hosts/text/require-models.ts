import { AppError } from '@shared/errors.ts';
import { splitModelId } from '@shared/models/model-info.ts';
import { builtInProviders, knownProviderNames } from '@shared/settings/settings.ts';
import type { CoreClient } from '../../server/local-socket.ts';
import type { CommandContext } from './command-context.ts';
import { toReportedFailure } from './report-failure.ts';

/** The models that the user named for some work, with the policies and the project of that work. */
export interface NamedModels {
  readonly local?: string | undefined;
  readonly cloud?: string | undefined;
  /** The person's order of models: no other works. */
  readonly modelOrder?: readonly string[] | undefined;
  /** Absent: the policy of the settings. */
  readonly policies?: readonly string[] | undefined;
  /** The project whose own models come before the general ones. Of a session: its project. */
  readonly projectPath?: string | undefined;
  /** The same by its key, for one without a folder. */
  readonly projectKey?: string | undefined;
  readonly sessionId?: string | undefined;
}

/** The settings in force for the project. Null: not set. */
interface Usual {
  readonly policy: string | null;
  readonly local: string | null;
  readonly cloud: string | null;
  /** Whether an order of models takes the place of the two. */
  readonly hasOrder: boolean;
}

/** A model that is needed, and why. */
interface Wanted {
  readonly id: string;
  /** The user named it for this work. Otherwise it comes from the setting `key`. */
  readonly isNamed: boolean;
  readonly key: 'local' | 'cloud';
  /** The work cannot be done without it. */
  readonly isNeeded: boolean;
}

/**
 * Checks the named models and those of the settings before anything starts, so that a typing error does not give all
 * the work to the other model or create an empty session. Throws `missing-model` for a model that does not exist, and
 * `missing-key` for a named or needed cloud model without a key. If the work can run locally, it does not throw because
 * a service cannot be reached. Models of an order are not checked: the turn says which of them it leaves out.
 */
export async function requireModels(
  { core, signal }: Pick<CommandContext, 'core' | 'signal'>,
  named: NamedModels,
): Promise<void> {
  const client = await core();
  const usual = await usualModels(client, named);
  const policies = named.policies ?? [usual.policy ?? 'local'];
  const leaves = policies.some((policy) => policy !== 'local');
  const hasPair = named.local !== undefined || named.cloud !== undefined;
  const hasOrder = named.modelOrder !== undefined || (usual.hasOrder && !hasPair);
  const usualLocal = hasOrder || policies.every((policy) => policy === 'cloud') ? null : usual.local;
  const local = named.local ?? usualLocal;
  // If nothing may leave this machine, a service is not even asked for its models.
  const cloud = leaves ? (named.cloud ?? (hasOrder ? null : usual.cloud)) : null;
  if (!leaves && named.cloud !== undefined) await requireProvider(client, named.cloud, signal);
  // A comparison gives more details.
  if (cloud === null && !hasOrder && policies.every((policy) => policy === 'cloud')) throw noCloud();
  const isNamed = named.local !== undefined;
  const wanted: readonly (Wanted | null)[] = [
    local === null ? null : { id: local, isNamed, key: 'local', isNeeded: isNamed || policies.includes('local') },
    cloud === null
      ? null
      : { id: cloud, isNamed: named.cloud !== undefined, key: 'cloud', isNeeded: policies.includes('cloud') },
  ];
  for (const one of wanted) {
    if (one === null) continue;
    const why = await whyNotThere(client, one, signal);
    if (why !== null) throw notThere(one, why);
    if (one.key === 'cloud' && (one.isNamed || one.isNeeded)) await requireKey(client, one.id);
  }
}

/** No service is asked: of a model that will not work, only a provider that nobody knows is refused. */
async function requireProvider(client: CoreClient, id: string, signal: AbortSignal): Promise<void> {
  const own: unknown = await client.settings.get({ key: 'providers' });
  const known = [...Object.keys(Object(own)), ...Object.keys(builtInProviders), ...knownProviderNames];
  const provider = splitModelId(id)?.provider;
  if (provider !== undefined && known.includes(provider)) return;
  const wanted: Wanted = { id, isNamed: true, key: 'cloud', isNeeded: false };
  const why = await whyNotThere(client, wanted, signal);
  if (why !== null) throw notThere(wanted, why);
}

/** Without a project or session: the general settings. */
export async function usualModels(
  client: CoreClient,
  { projectPath, projectKey, sessionId }: Pick<NamedModels, 'projectPath' | 'projectKey' | 'sessionId'>,
): Promise<Usual> {
  const ofSession = sessionId === undefined ? null : await client.sessions.find({ id: sessionId });
  const path = ofSession === null ? (projectKey ?? projectPath) : ofSession.project;
  // The core may be of an older build, which knows no order. The pair then decides, as it does in that core.
  const isOrdered = Array.isArray(await client.settings.get({ key: 'modelOrder' }).catch(nullIfNotFound));
  if (path !== undefined && path !== null) {
    const { own, usual } = await client.projects.settings({ projectPath: path });
    return {
      policy: own.policy ?? usual.policy,
      local: own.local ?? usual.local,
      cloud: own.cloud === undefined ? usual.cloud : own.cloud,
      hasOrder: isOrdered && own.local === undefined && own.cloud === undefined,
    };
  }
  const text = async (key: string): Promise<string | null> => {
    const value = await client.settings.get({ key });
    return typeof value === 'string' ? value : null;
  };
  const pair = { local: await text('local'), cloud: await text('cloud') };
  return { policy: await text('policy'), ...pair, hasOrder: isOrdered };
}

function nullIfNotFound(error: unknown): null {
  if (toReportedFailure(error).code === 'not-found') return null;
  throw error;
}

/** `why`: empty if the model does not exist, and there is no further reason. */
interface NotThere {
  readonly why: string;
  readonly hint: string;
}

/** Null: the model exists, or may exist. */
async function whyNotThere(client: CoreClient, wanted: Wanted, signal: AbortSignal): Promise<NotThere | null> {
  try {
    const { state, note } = await client.models.show({ id: wanted.id }, { signal });
    return state === 'unreachable' ? { why: note ?? '', hint: seeList } : null;
  } catch (error) {
    const { code, message, hint = seeList } = toReportedFailure(error);
    if (code === 'not-found') return { why: '', hint };
    // The turn itself reports other problems of a model from the settings.
    if (code !== 'network' && wanted.isNamed) throw error;
    return code === 'network' && wanted.isNeeded ? { why: message, hint } : null;
  }
}

const seeList = 'Run `dewpoint models list` to see your models.';

function notThere({ id, isNamed, key }: Wanted, { why, hint }: NotThere): AppError {
  const whose = isNamed ? '' : `, the ${key === 'local' ? 'local model' : 'cloud model'} in your settings,`;
  const message = `The model ${id}${whose} ${why === '' ? 'was not found.' : `cannot be used: ${why}`}`;
  const other = isNamed ? '' : ` Choose another: \`dewpoint settings set ${key} PROVIDER/MODEL\`.`;
  return new AppError('missing-model', message, { hint: `Nothing was started. ${hint}${other}` });
}

/** Throws `missing-key` before the task is sent, because the service would refuse a call without a key. */
async function requireKey(client: CoreClient, id: string): Promise<void> {
  const provider = splitModelId(id)?.provider;
  const { keys, store } = await client.keys.list();
  // The user can still unlock the store when the call needs the key.
  if (store.type === 'locked') return;
  const key = keys.find((one) => one.provider === provider);
  if (key === undefined || key.source !== null || key.variable === null) return;
  throw new AppError('missing-key', `There is no key for ${key.provider}.`, {
    hint: `Nothing was started. Set it with \`dewpoint keys set ${key.provider}\`, or put it into ${key.variable} of the environment.`,
  });
}

function noCloud(): AppError {
  return new AppError('missing-model', 'No cloud model is set up.', {
    hint: 'Nothing was started. Name one with --cloud PROVIDER/MODEL, or with `dewpoint settings set cloud PROVIDER/MODEL`.',
  });
}
