import { queryOptions, useQuery } from '@tanstack/react-query';
import type { CoreClient } from '../connection/core-client.ts';
import { useClient } from '../connection/core-context.ts';

const plain = {
  context: null,
  kv: null,
  flash: true,
  ubatch: 512,
  slots: 1,
  unified: true,
  engine: 'node-llama-cpp',
  cards: null,
} as const;

/** The planner needs a model to answer. It knows nothing about this one, and reports the machine's memory. */
const noModel = { 'general.architecture': 'none' };

/**
 * What a model takes and gets of this machine's memory, according to the planner. Loads nothing. Null: do not ask.
 * `context`: tokens to plan for; null: as many as fit.
 */
export function useMemoryPlan(model: string | null, context: number | null = null) {
  const client = useClient();
  return useQuery({ ...memoryPlanQuery(client, model, context), enabled: model !== null });
}

export function memoryPlanQuery(client: CoreClient, model: string | null, context: number | null) {
  return queryOptions({
    queryKey: ['plan', model, context],
    queryFn: ({ signal }) => client.plan({ ...plain, context, model, keys: null }, { signal }),
    staleTime: 30_000,
  });
}

/** The cards and memory of this machine, independent of any model. */
export function useMachineMemory(isAsked: boolean) {
  const client = useClient();
  return useQuery({
    queryKey: ['plan'],
    queryFn: ({ signal }) => client.plan({ ...plain, model: null, keys: noModel }, { signal }),
    enabled: isAsked,
    staleTime: 30_000,
  });
}
