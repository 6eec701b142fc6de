import type { Settings } from '@shared/settings/settings.ts';

/** The settings for a project: its own models override the general ones, also the order of them. */
export function settingsForProject(settings: Settings, projectPath: string | null): Settings {
  if (projectPath === null || !Object.hasOwn(settings.projectModels, projectPath)) return settings;
  const { policy, local, cloud } = settings.projectModels[projectPath] ?? {};
  return {
    ...settings,
    policy: policy ?? settings.policy,
    local: local ?? settings.local,
    cloud: cloud === undefined ? settings.cloud : cloud,
    modelOrder: local === undefined && cloud === undefined ? settings.modelOrder : undefined,
  };
}
