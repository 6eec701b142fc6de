import type { ProjectCap, ProjectChoices } from './project-choices.ts';
import { projectCaps } from './project-choices.ts';
import type { Settings } from './settings.ts';

/** The settings as they hold in a project: what it has of its own goes before what holds for all. */
export function settingsOfProject(settings: Settings, projectPath: string | null): Settings {
  if (projectPath === null || !Object.hasOwn(settings.projects, projectPath)) return settings;
  const { policy, local, cloud, budget } = settings.projects[projectPath] ?? {};
  return {
    ...settings,
    policy: policy ?? settings.policy,
    local: local ?? settings.local,
    cloud: cloud === undefined ? settings.cloud : cloud,
    budget: { ...settings.budget, ...capsIn(budget) },
  };
}

function capsIn(budget: ProjectChoices['budget'] = {}): Partial<Record<ProjectCap, number | null>> {
  return Object.fromEntries(
    projectCaps.flatMap((scope) => {
      const cap = budget[scope];
      return cap === undefined ? [] : [[scope, cap]];
    }),
  );
}
