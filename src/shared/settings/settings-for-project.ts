import type { Settings } from './settings.ts';

/** The settings as they hold in a project: the models it has of its own go before those of all. */
export function settingsForProject(settings: Settings, projectPath: string | null): Settings {
  if (projectPath === null || !Object.hasOwn(settings.projectModels, projectPath)) return settings;
  const { policy, local, cloud } = settings.projectModels[projectPath] ?? {};
  return {
    ...settings,
    policy: policy ?? settings.policy,
    local: local ?? settings.local,
    cloud: cloud === undefined ? settings.cloud : cloud,
  };
}
