import { AppError } from '@shared/errors.ts';
import { howToGet } from '@shared/models/model-info.ts';
import type { CoreClient } from '../../../server/local-socket.ts';
import type { CommandContext } from '../command-context.ts';
import { toReportedFailure } from '../report-failure.ts';

/** Models that a person named for what is to be done, under which policies that is, and where. */
export interface NamedModels {
  readonly local?: string | undefined;
  readonly cloud?: string | undefined;
  /** Absent: those of the settings. */
  readonly policies?: readonly string[] | undefined;
  /** Whose own models go before those of all; of a session: its project. */
  readonly projectPath?: string | undefined;
  readonly sessionId?: string | undefined;
}

/** What the settings say, for the project. Null: nothing. */
interface Usual {
  readonly policy: string | null;
  readonly local: string | null;
  readonly cloud: string | null;
}

/** A model, and what of it is asked for. */
interface Wanted {
  readonly id: string;
  /** Named for this; else it is the one of the settings, and the setting is `key`. */
  readonly isNamed: boolean;
  readonly key: 'local' | 'cloud';
  /** Nothing can be done without it. */
  readonly isNeeded: boolean;
}

/**
 * Refuses a model that is not there before anything begins, one of the settings as one that was named: with a typing error
 * all of the work would go to the other model, or a session would be made for nothing. Where work can go on here, a service
 * that cannot be asked is no reason to refuse. Throws `missing-model`.
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
  // A service is not even asked for its list where nothing is to leave this machine.
  const cloud = leaves ? (named.cloud ?? usual.cloud) : null;
  // A comparison says more of it.
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

/** Without a project or a session: those of all projects. */
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

/** Null: it is there, or may be. Empty: there is nothing to say but that it is not. */
async function whyNotThere(client: CoreClient, wanted: Wanted, signal: AbortSignal): Promise<string | null> {
  try {
    const { state, note } = await client.models.show({ id: wanted.id }, { signal });
    return state === 'unreachable' ? (note ?? '') : null;
  } catch (error) {
    const { code, message } = toReportedFailure(error);
    if (code === 'not-found') return '';
    // What else is wrong with one of the settings its own turn says.
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
