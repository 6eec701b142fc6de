import type { CoreClient } from '../connection/core-client.ts';
import type { UsualModels } from './model-options.ts';
import type { Policy } from './routing-policies.ts';
import { choosablePolicies } from './routing-policies.ts';

/**
 * The models in the settings: the project's own, if it has any. A folder that cannot be used has none. Its path may be
 * half typed, and until the task starts nothing is wrong with it.
 */
export async function usualModels(
  client: CoreClient,
  projectPath: string | null,
  signal?: AbortSignal,
): Promise<UsualModels> {
  const options = signal === undefined ? {} : { signal };
  const project =
    projectPath === null ? null : await client.projects.settings({ projectPath }, options).catch(() => null);
  if (project !== null) {
    const { own, usual } = project;
    return {
      policy: own.policy ?? usual.policy,
      local: own.local ?? usual.local,
      cloud: own.cloud === undefined ? usual.cloud : own.cloud,
    };
  }
  const [policy, local, cloud] = await Promise.all(
    ['policy', 'local', 'cloud'].map((key) => client.settings.get({ key }, options)),
  );
  return { policy: asPolicy(policy), local: asText(local) ?? '', cloud: asText(cloud) };
}

function asPolicy(value: unknown): Policy {
  return choosablePolicies.find((policy) => policy === value) ?? 'local';
}

function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
