import { useQuery } from '@tanstack/react-query';
import type { CoreClient } from '../connection/core-client.ts';
import { useClient } from '../connection/core-context.ts';
import type { ModelEntry } from '@shared/contract/models-contract.ts';

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

/** The local model that the settings name (those of a project, where it has its own), out of the one list of models. */
export function useLocalModel(projectPath: string | null = null) {
  const client = useClient();
  const models = useModels();
  const chosen = useQuery({
    queryKey: ['models', 'chosen', projectPath],
    queryFn: ({ signal }) => chosenFor(client, projectPath, signal),
  });
  const id = typeof chosen.data === 'string' ? chosen.data : '';
  const isKnown = models.data !== undefined && chosen.data !== undefined;
  const data: LocalModel | undefined = isKnown
    ? { id, model: models.data?.find((model) => model.id === id) ?? null }
    : undefined;
  return { data, error: models.error ?? chosen.error, isPending: models.isPending || chosen.isPending };
}

async function chosenFor(client: CoreClient, projectPath: string | null, signal: AbortSignal): Promise<unknown> {
  if (projectPath === null) return client.settings.get({ key: 'local' }, { signal });
  const { own, usual } = await client.projects.settings({ projectPath }, { signal });
  return own.local ?? usual.local;
}
