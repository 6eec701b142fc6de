import { useCallback } from 'react';
import { seenName } from '@shared/text/seen-text.ts';
import { modelName } from './model-options.ts';
import { useModels } from './use-local-model.ts';

/** The name that people know a model by. A model that is not in the list is named by its id. */
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
