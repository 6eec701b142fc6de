import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import type { MemoryPlanAnswer } from '@shared/models/memory-estimate.ts';
import { useClient } from '../connection/core-context.ts';
import { announce } from '../notices/announce.ts';
import { failureText } from '../connection/failure-text.ts';
import type { UsualModels } from './model-options.ts';
import { usualModels } from './usual-models.ts';
import { memoryPlanQuery } from './use-memory-plan.ts';

/** See `usualModels`; undefined while they are loading. */
export function useUsualModels(projectPath: string | null): UsualModels | undefined {
  const client = useClient();
  return useQuery({
    queryKey: ['models', 'usual', projectPath],
    queryFn: ({ signal }) => usualModels(client, projectPath, signal),
    placeholderData: (before) => before,
  }).data;
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
