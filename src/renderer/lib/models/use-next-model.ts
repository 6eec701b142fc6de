import { seenName } from '@shared/text/seen-text.ts';
import type { ModelEntry } from '@shared/contract/models-contract.ts';
import { useAssistants } from '../input/use-assistants.ts';
import type { SessionChoice } from './session-choice.ts';
import { t } from '../text/translate.ts';
import type { PickedModel } from './model-options.ts';
import { modelName, pickedModel } from './model-options.ts';
import { useModels } from './use-local-model.ts';
import { useUsualModels } from './use-model-options.ts';

/** What answers the next message: what was chosen, else the assistant's model, else the settings. */
export interface NextModel {
  readonly picked: PickedModel;
  readonly name: string;
}

/** Null while the settings are loading. */
export function useNextModel(choice: SessionChoice, projectPath: string | null): NextModel | null {
  const models = useModels().data ?? [];
  const usual = useUsualModels(projectPath);
  const { pick } = useAssistants(choice, () => undefined);
  if (usual === undefined) return null;
  const picked = pickedModel(pick, usual);
  return { picked, name: pickedName(picked, models) };
}

export function pickedName(picked: PickedModel | null, models: readonly ModelEntry[]): string {
  if (picked === null) return t('composer.where.settings');
  if (picked.type === 'auto') return t(picked.policy === 'hybrid' ? 'picker.auto' : `picker.${picked.policy}`);
  if (picked.id === null) return t('composer.where.cloud');
  const model = models.find(({ id }) => id === picked.id);
  return seenName(model === undefined ? picked.id : modelName(model, models));
}
