import { AppError, valueOf } from '@shared/errors.ts';
import { createPushQueue } from '../lib/async/push-queue.ts';
import type { Handlers } from '../server/handlers.ts';
import type { SettingsStore } from './settings-store.ts';

/** What a value means on this machine, which its form alone does not say. */
interface SettingChecks {
  /** A sentence. Null: nothing is wrong with it. */
  readonly searchModelProblem: (value: string) => Promise<string | null>;
}

/** The commands for the settings of all projects. */
export function createSettingsCommands(settings: SettingsStore, checks: SettingChecks): Handlers['settings'] {
  return {
    get: ({ input }) => valueOf(settings.get(input.key)),
    set: async ({ input: { key, value } }) => {
      const isModel = key === 'searchModel' && typeof value === 'string';
      const problem = isModel ? await checks.searchModelProblem(value) : null;
      if (problem !== null) throw new AppError('bad-input', `${problem} Nothing was changed.`);
      return valueOf(await settings.set(key, value));
    },
    unset: async ({ input }) => void valueOf(await settings.unset(input.key)),
    watch: ({ signal }) => settingsStream(settings, signal),
    path: () => ({ path: settings.path }),
  };
}

/**
 * The names of settings as they change, until `signal` is aborted. The first item is an empty list: no change after it
 * is missed.
 */
export async function* settingsStream(
  settings: Pick<SettingsStore, 'watch'>,
  signal: AbortSignal,
): AsyncGenerator<{ readonly keys: readonly string[] }> {
  const queue = createPushQueue<string>(signal, Number.POSITIVE_INFINITY);
  const end = settings.watch((key) => void queue.push(key));
  try {
    yield { keys: [] };
    for (let keys = await queue.take(); keys !== null; keys = await queue.take()) yield { keys };
  } finally {
    end();
  }
}
