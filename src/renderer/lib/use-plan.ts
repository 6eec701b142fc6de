import { useQuery } from '@tanstack/react-query';
import { useClient } from './core-context.ts';

/** What a model takes and gets of this machine's memory, as the planner says; nothing is loaded for it. Null: not asked. */
export function usePlan(model: string | null) {
  const client = useClient();
  return useQuery({
    queryKey: ['plan', model],
    queryFn: ({ signal }) =>
      client.plan(
        {
          model,
          keys: null,
          context: null,
          kv: null,
          flash: true,
          ubatch: 512,
          slots: 1,
          unified: true,
          engine: 'node-llama-cpp',
          cards: null,
        },
        { signal },
      ),
    enabled: model !== null,
    staleTime: 30_000,
  });
}
