import { AppError } from '@shared/errors.ts';
import { howToGet } from '@shared/models/model-info.ts';
import type { CoreClient } from '../../../server/local-socket.ts';
import type { CommandContext } from '../command-context.ts';
import { toReportedFailure } from '../report-failure.ts';

/** The models that the user named for some work, with the policies and the project of that work. */
export interface NamedModels {
  readonly local?: string | undefined;
  readonly cloud?: string | undefined;
  /** Absent: the policy of the settings. */
  readonly policies?: readonly string[] | undefined;
  /** The project whose own models come before the general ones. Of a session: its project. */
  readonly projectPath?: string | undefined;
  readonly sessionId?: string | undefined;
}

/** The settings that count for the project. Null: not set. */
interface Usual {
  readonly policy: string | null;
  readonly local: string | null;
  readonly cloud: string | null;
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
 * Throws `missing-model` for a model that does not exist, before anything is started. Otherwise, after a typing error,
 * the other model would do all the work, or a session would be created for nothing. Models of the settings are checked,
 * too. If the work can run locally, an unreachable service is no reason to refuse.
 */
export async function requireModels(
  { core, signal }: Pick<CommandContext, 'core' | 'signal'>,
  named: NamedModels,
): Promise<void> {
  const client = await core();
  const usual = await usualModels(client, named);
  const policies = named.policies ?? [usual.policy ?? 'local'];
  const leaves = policies.some((policy) => policy !== 'local');
  const local = named.local ?? (policies.some((policy) => policy !== 'cloud') ? usual.local : null);
  // If nothing may leave this machine, a service is not even asked for its models.
  const cloud = leaves ? (named.cloud ?? usual.cloud) : null;
  // A comparison gives more details.
  if (cloud === null && policies.every((policy) => policy === 'cloud')) throw noCloud();
  const isNamed = named.local !== undefined;
  const wanted: readonly (Wanted | null)[] = [
    local === null ? null : { id: local, isNamed, key: 'local', isNeeded: isNamed || policies.includes('local') },
    cloud === null
      ? null
      : { id: cloud, isNamed: named.cloud !== undefined, key: 'cloud', isNeeded: policies.includes('cloud') },
  ];
  for (const one of wanted) {
    const why = one === null ? null : await whyNotThere(client, one, signal);
    if (one !== null && why !== null) throw notThere(one, why);
  }
}

/** Without a project or session: the general settings. */
export async function usualModels(
  client: CoreClient,
  { projectPath, sessionId }: Pick<NamedModels, 'projectPath' | 'sessionId'>,
): Promise<Usual> {
  const path = sessionId === undefined ? projectPath : (await client.sessions.find({ id: sessionId })).projectPath;
  if (path !== undefined && path !== null) {
    const { own, usual } = await client.projects.settings({ projectPath: path });
    return {
      policy: own.policy ?? usual.policy,
      local: own.local ?? usual.local,
      cloud: own.cloud === undefined ? usual.cloud : own.cloud,
    };
  }
  const text = async (key: string): Promise<string | null> => {
    const value = await client.settings.get({ key });
    return typeof value === 'string' ? value : null;
  };
  return { policy: await text('policy'), local: await text('local'), cloud: await text('cloud') };
}

/** Null: the model exists, or may exist. Empty: it does not exist, and there is no further reason. */
async function whyNotThere(client: CoreClient, wanted: Wanted, signal: AbortSignal): Promise<string | null> {
  try {
    const { state, note } = await client.models.show({ id: wanted.id }, { signal });
    return state === 'unreachable' ? (note ?? '') : null;
  } catch (error) {
    const { code, message } = toReportedFailure(error);
    if (code === 'not-found') return '';
    // The turn itself reports other problems of a model from the settings.
    if (code !== 'network' && wanted.isNamed) throw error;
    return code === 'network' && wanted.isNeeded ? message : null;
  }
}

function notThere({ id, isNamed, key }: Wanted, why: string): AppError {
  const whose = isNamed ? '' : `, the ${key === 'local' ? 'local model' : 'cloud model'} in your settings,`;
  const message = `The model ${id}${whose} ${why === '' ? 'was not found.' : `cannot be used: ${why}`}`;
  const other = isNamed ? '' : ` Choose another: \`dewpoint settings set ${key} PROVIDER/MODEL\`.`;
  return new AppError('missing-model', message, {
    hint: `Nothing was started. ${howToGet(id)}, or run \`dewpoint models list\` to see your models.${other}`,
  });
}

function noCloud(): AppError {
  return new AppError('missing-model', 'No cloud model is set up.', {
    hint: 'Nothing was started. Name one with --cloud PROVIDER/MODEL, or with `dewpoint settings set cloud PROVIDER/MODEL`.',
  });
}
