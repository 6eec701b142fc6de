import { AppError } from '@shared/errors.ts';
import { howToGet } from '@shared/models.ts';
import type { CommandContext } from './context.ts';
import { failureOf } from './fail.ts';

/** Models that a person named for what is to be done, and under which policies that is. */
export interface NamedModels {
  readonly local?: string | undefined;
  readonly cloud?: string | undefined;
  /** Absent: those of the settings. */
  readonly policies?: readonly string[] | undefined;
}

/**
 * Refuses a name of a model that is not there before anything begins: with a typing error all of the work would go to the
 * other model, or a session would be made for nothing. Where work can go on here, a service that cannot be asked is no
 * reason to refuse. Throws `missing-model`.
 */
export async function requireModels(
  { core, signal }: Pick<CommandContext, 'core' | 'signal'>,
  { local, cloud, policies: asked }: NamedModels,
): Promise<void> {
  if (local === undefined && cloud === undefined) return;
  const client = await core();
  const policies = asked ?? [String(await client.settings.get({ key: 'policy' }))];
  const look = async (id: string, isNeeded: boolean): Promise<void> => {
    const why = await client.models.show({ id }, { signal }).then(
      ({ state, note }) => (state === 'unreachable' ? (note ?? '') : null),
      (error: unknown) => whyNot(error, isNeeded),
    );
    if (why !== null) throw notThere(id, why);
  };
  if (local !== undefined) await look(local, true);
  // A service is not even asked for its list where nothing is to leave this machine.
  if (cloud !== undefined && policies.some((policy) => policy !== 'local')) {
    await look(cloud, policies.includes('cloud'));
  }
}

/** Null: it may be there all the same. Empty: there is nothing to say but that it is not. */
function whyNot(error: unknown, isNeeded: boolean): string | null {
  const { code, message } = failureOf(error);
  if (code === 'not-found') return '';
  if (code !== 'network') throw error;
  return isNeeded ? message : null;
}

function notThere(id: string, why: string): AppError {
  const message = why === '' ? `The model ${id} is not there.` : `The model ${id} is not there: ${why}`;
  return new AppError('missing-model', message, {
    hint: `Nothing was begun. ${howToGet(id)}; \`dewpoint models list\` shows what there is.`,
  });
}
