import { useQuery } from '@tanstack/react-query';
import type { ModelEntry } from '@shared/contract.ts';
import { useClient } from './core-context.ts';

export interface LocalModel {
  /** What the settings say. */
  readonly id: string;
  /** Null: no provider knows it. */
  readonly model: ModelEntry | null;
}

/** All models that can be called or fetched. */
export function useModels() {
  const client = useClient();
  return useQuery({ queryKey: ['models'], queryFn: ({ signal }) => client.models.list(undefined, { signal }) });
}

/** The local model that the settings name, out of the one list of models. */
export function useLocalModel() {
  const client = useClient();
  const models = useModels();
  const chosen = useQuery({
    queryKey: ['models', 'chosen'],
    queryFn: ({ signal }) => client.settings.get({ key: 'local' }, { signal }),
  });
  const id = typeof chosen.data === 'string' ? chosen.data : '';
  const isKnown = models.data !== undefined && chosen.data !== undefined;
  const data: LocalModel | undefined = isKnown
    ? { id, model: models.data?.find((model) => model.id === id) ?? null }
    : undefined;
  return { data, error: models.error ?? chosen.error, isPending: models.isPending || chosen.isPending };
}
