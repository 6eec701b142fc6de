import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import type { MemoryPlanAnswer } from '@shared/models/memory-estimate.ts';
import type { CoreClient } from '../connection/core-client.ts';
import { useClient } from '../connection/core-context.ts';
import { announce } from '../notices/announce.ts';
import { failureText } from '../connection/failure-text.ts';
import type { UsualModels } from './model-options.ts';
import type { Policy } from './routing-policies.ts';
import { choosablePolicies } from './routing-policies.ts';
import { memoryPlanQuery } from './use-memory-plan.ts';

/** The models in the settings (the project's own, if it has any); undefined while they are loading. */
export function useUsualModels(projectPath: string | null): UsualModels | undefined {
  const client = useClient();
  return useQuery({
    queryKey: ['models', 'usual', projectPath],
    queryFn: ({ signal }) => usualFor(client, projectPath, signal),
    placeholderData: (before) => before,
  }).data;
}

async function usualFor(client: CoreClient, projectPath: string | null, signal: AbortSignal): Promise<UsualModels> {
  if (projectPath !== null) {
    const { own, usual } = await client.projects.settings({ projectPath }, { signal });
    const { policy, local, cloud } = usual;
    return {
      policy: own.policy ?? policy,
      local: own.local ?? local,
      cloud: own.cloud === undefined ? cloud : own.cloud,
    };
  }
  const [policy, local, cloud] = await Promise.all(
    ['policy', 'local', 'cloud'].map((key) => client.settings.get({ key }, { signal })),
  );
  return { policy: asPolicy(policy), local: asText(local) ?? '', cloud: asText(cloud) };
}

function asPolicy(value: unknown): Policy {
  return choosablePolicies.find((policy) => policy === value) ?? 'local';
}

function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The starred models, and a function that stars a model or removes the star. */
export function useFavoriteModels(): readonly [readonly string[], (id: string, isStarred: boolean) => void] {
  const client = useClient();
  const queries = useQueryClient();
  const { data = [] } = useQuery({
    queryKey: ['settings', 'favoriteModels'],
    queryFn: async ({ signal }) => textsIn(await client.settings.get({ key: 'favoriteModels' }, { signal })),
  });
  const star = async (id: string, isStarred: boolean): Promise<void> => {
    try {
      // Keeps what another window starred in the meantime.
      const now = textsIn(await client.settings.get({ key: 'favoriteModels' })).filter((one) => one !== id);
      await client.settings.set({ key: 'favoriteModels', value: isStarred ? [...now, id] : now });
    } catch (error) {
      announce({ kind: 'error', text: failureText(error) });
    }
    await queries.invalidateQueries({ queryKey: ['settings', 'favoriteModels'] });
  };
  return [data, (id, isStarred) => void star(id, isStarred)];
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

export interface ModelFit {
  readonly fits: boolean;
  /** Weights and context together. */
  readonly bytes: number;
  /** What was planned, and why. */
  readonly reason: string;
}

/** Whether models fit into this machine's memory, by id. Leaves out unknown ones. Loads nothing. */
export function useModelFits(ids: readonly string[]): ReadonlyMap<string, ModelFit> {
  const client = useClient();
  return useQueries({
    queries: ids.map((id) => memoryPlanQuery(client, id, null)),
    combine: (results) => new Map(results.flatMap(({ data }, index) => fitOf(ids[index] ?? '', data))),
  });
}

function fitOf(id: string, plan: MemoryPlanAnswer | undefined): readonly (readonly [string, ModelFit])[] {
  if (plan === undefined || plan.totalBytes === null) return [];
  const { placement, context, reason } = plan.granted;
  return [[id, { fits: placement !== 'nowhere' && context > 0, bytes: plan.totalBytes, reason }]];
}
