import type { Settings } from '@shared/settings/settings.ts';

type ProjectSettings = Settings['sandbox']['projects'][string];

/** The settings of one project. All are empty for a project without an entry. */
export function setupOf(settings: Settings['sandbox'], projectPath: string): ProjectSettings {
  return (
    settings.projects[projectPath] ?? { env: {}, secretEnv: [], setup: {}, testCommand: null, hosts: [], image: null }
  );
}

/** The name of the image for a project's sessions. Null: our own image. */
export function imageOf(settings: Settings['sandbox'], projectPath: string): string | null {
  return setupOf(settings, projectPath).image?.name ?? settings.image;
}

export interface ProjectVariables {
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: readonly { readonly kind: string; readonly value: string }[];
}

/**
 * The variables for commands of a project. The values of secret ones are in no file of ours, but come from this
 * process.
 */
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
