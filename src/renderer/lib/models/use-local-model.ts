import { useQuery } from '@tanstack/react-query';
import type { CoreClient } from '../connection/core-client.ts';
import { useClient } from '../connection/core-context.ts';
import type { ModelEntry } from '@shared/contract/models-contract.ts';
import type { Where } from '@shared/models/model-info.ts';

export interface LocalModel {
  /** The model in the settings. */
  readonly id: string;
  /** Null: no provider knows it. */
  readonly model: ModelEntry | null;
}

/** All models that can be called or downloaded. */
export function useModels() {
  const client = useClient();
  return useQuery({ queryKey: ['models'], queryFn: ({ signal }) => client.models.list(undefined, { signal }) });
}

/** The models to choose from at one place, as options. Those whose server cannot be reached are left out. */
export function useReachableModels() {
  const models = useModels().data ?? [];
  return (where: Where) =>
    models
      .filter((model) => model.where === where && model.state !== 'unreachable')
      .map((model) => ({ value: model.id, text: model.label }));
}

/** The local model in the settings (the project's own, if it has one), from the list of all models. */
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
