import { valueOf } from '@shared/errors.ts';
import type { CoreApi } from '../server/core-api.ts';
import type { ProjectCommandsOptions } from '../projects/configure-project.ts';
import { createProjectCommands } from '../projects/configure-project.ts';

type SettingsCommands = Pick<
  CoreApi,
  | 'getSetting'
  | 'setSetting'
  | 'unsetSetting'
  | 'watchSettings'
  | 'settingsPath'
  | 'projectSettings'
  | 'configureProject'
>;

/** The commands about what a person has set: for all, and for single projects. */
export function createSettingsCommands(options: ProjectCommandsOptions): SettingsCommands {
  const { settings } = options;
  return {
    getSetting: (key) => valueOf(settings.get(key)),
    setSetting: async (key, value) => valueOf(await settings.set(key, value)),
    unsetSetting: async (key) => void valueOf(await settings.unset(key)),
    watchSettings: (listener) => settings.watch(listener),
    settingsPath: settings.path,
    ...createProjectCommands(options),
  };
}
