import { useQuery } from '@tanstack/react-query';
import type { ModelEntry } from '@shared/contract.ts';
import type { CoreClient } from './core-client.ts';
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

/** The local model that the settings name. */
export function useLocalModel() {
  const client = useClient();
  return useQuery({
    queryKey: ['models', 'local'],
    queryFn: ({ signal }) => readLocalModel(client, signal),
  });
}

async function readLocalModel(client: CoreClient, signal: AbortSignal): Promise<LocalModel> {
  const [models, chosen] = await Promise.all([
    client.models.list(undefined, { signal }),
    client.settings.get({ key: 'local' }, { signal }),
  ]);
  const id = typeof chosen === 'string' ? chosen : '';
  return { id, model: models.find((model) => model.id === id) ?? null };
}
