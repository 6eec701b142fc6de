import type { Where } from '@shared/models/model-info.ts';
import type { CoreClient } from '../connection/core-client.ts';
import type { UsualModels } from './model-options.ts';
import type { Policy } from './routing-policies.ts';
import { choosablePolicies } from './routing-policies.ts';

/**
 * The models in the settings: the project's own, if it has any. A folder that cannot be used has none. Its path may be
 * half typed, and until the task starts nothing is wrong with it. With an order of models, the local and the cloud one
 * are the first of the order at their place.
 */
export async function usualModels(
  client: CoreClient,
  projectPath: string | null,
  signal?: AbortSignal,
): Promise<UsualModels> {
  const options = signal === undefined ? {} : { signal };
  const project =
    projectPath === null ? null : await client.projects.settings({ projectPath }, options).catch(() => null);
  const own = project?.own ?? {};
  const [policy, local, cloud, order] = await Promise.all(
    ['policy', 'local', 'cloud', 'modelOrder'].map((key) => client.settings.get({ key }, options)),
  );
  const usual = {
    policy: own.policy ?? asPolicy(policy),
    local: own.local ?? asText(local) ?? '',
    cloud: own.cloud === undefined ? asText(cloud) : own.cloud,
  };
  const ordered = own.local === undefined && own.cloud === undefined ? asTexts(order) : [];
  if (ordered.length === 0) return { ...usual, order: orderOf(usual) };
  const models = await client.models.list(undefined, options);
  const first = (where: Where): string | undefined =>
    ordered.find((id) => models.some((model) => model.id === id && model.where === where));
  return { ...usual, local: first('local') ?? usual.local, cloud: first('cloud') ?? usual.cloud, order: ordered };
}

/** Without an order of the user's own: the local model, then the one in the cloud. */
export function orderOf({ local, cloud }: Pick<UsualModels, 'local' | 'cloud'>): readonly string[] {
  return [local, cloud].flatMap((id) => (id === null || id === '' ? [] : [id]));
}

function asPolicy(value: unknown): Policy {
  return choosablePolicies.find((policy) => policy === value) ?? 'local';
}

function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function asTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
