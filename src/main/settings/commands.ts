import { valueOf } from '@shared/errors.ts';
import { createPushQueue } from '../lib/async/push-queue.ts';
import type { Handlers } from '../server/handlers.ts';
import type { SettingsStore } from './settings-store.ts';

/** The commands for the settings of all projects. */
export function createSettingsCommands(settings: SettingsStore): Handlers['settings'] {
  return {
    get: ({ input }) => valueOf(settings.get(input.key)),
    set: async ({ input }) => valueOf(await settings.set(input.key, input.value)),
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
