import type { Settings } from '@shared/settings/settings.ts';

type ProjectSettings = Settings['sandbox']['projects'][string];

/** What the settings say of one project; a project that they do not name has nothing of its own. */
export function setupOf(settings: Settings['sandbox'], projectPath: string): ProjectSettings {
  return settings.projects[projectPath] ?? { env: {}, secretEnv: [], setup: {}, hosts: [], image: null };
}

/** The name of the image that sessions of a project run in; null: our own. */
export function imageOf(settings: Settings['sandbox'], projectPath: string): string | null {
  return setupOf(settings, projectPath).image?.name ?? settings.image;
}

export interface ProjectVariables {
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: readonly { readonly kind: string; readonly value: string }[];
}

/** The variables that commands of a project get. A secret one stands in no file of ours: it is taken from this process. */
export function variablesOf(
  { env, secretEnv }: Pick<ProjectSettings, 'env' | 'secretEnv'>,
  own: Readonly<Record<string, string | undefined>>,
): ProjectVariables {
  const secrets = secretEnv.flatMap((name) => {
    const value = own[name];
    return value === undefined || value === '' ? [] : [{ kind: name, value }];
  });
  return { environment: { ...env, ...Object.fromEntries(secrets.map(({ kind, value }) => [kind, value])) }, secrets };
}
