import { useCallback } from 'react';
import { seenName } from '@shared/text/seen-text.ts';
import { modelName } from './model-options.ts';
import { useModels } from './use-local-model.ts';

/** How people know a model, by its id; a model that is not in the list (any more) is called by its id. */
export function useModelName(): (id: string) => string {
  const models = useModels().data;
  return useCallback(
    (id: string) => {
      const model = models?.find((one) => one.id === id);
      return seenName(model === undefined || models === undefined ? id : modelName(model, models));
    },
    [models],
  );
}
