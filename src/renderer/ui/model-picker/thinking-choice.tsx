import type { Effort } from '@shared/models/model-info.ts';
import type { ModelEntry } from '@shared/contract/models-contract.ts';
import type { ModelPick, PickedModel, UsualModels } from '../../lib/models/model-options.ts';
import { t } from '../../lib/text/translate.ts';
import { QuietSelect } from '../controls/select.tsx';

interface ThinkingChoiceProps {
  readonly pick: ModelPick;
  readonly onPick: (pick: ModelPick) => void;
  readonly models: readonly ModelEntry[];
  readonly picked: PickedModel;
  readonly usual: UsualModels;
}

/** How hard the model thinks before it answers. Empty when the model has no choice. */
export function ThinkingChoice({ pick, onPick, models, picked, usual }: ThinkingChoiceProps) {
  const infos = idsOf(picked, usual).map((id) => models.find((model) => model.id === id)?.info ?? null);
  const efforts = [...new Set(infos.flatMap((info) => info?.efforts ?? []))];
  if (efforts.length < 2) return null;
  const { thinking, ...rest } = pick;
  // With the router there are two models, and each has its own setting.
  const effort = infos.length === 1 ? infos[0]?.effort : undefined;
  const usually =
    effort === undefined ? t('thinking.default') : t('thinking.defaultIs', { step: stepName(effort, efforts) });
  return (
    <QuietSelect
      text={thinking === undefined ? usually : effortText(thinking, efforts)}
      aria-label={t('thinking.label')}
      title={t('thinking.about')}
      value={thinking ?? ''}
      onChange={({ target }) => {
        const chosen = efforts.find((one) => one === target.value);
        onPick(chosen === undefined ? rest : { ...rest, thinking: chosen });
      }}
    >
      <option value="">{usually}</option>
      {efforts.map((one) => (
        <option key={one} value={one}>
          {effortText(one, efforts)}
        </option>
      ))}
    </QuietSelect>
  );
}

function idsOf(picked: PickedModel, usual: UsualModels): readonly (string | null)[] {
  return picked.type === 'model' ? [picked.id] : [usual.local, usual.cloud];
}

export function effortText(effort: Effort, efforts: readonly Effort[]): string {
  return t('thinking.step', { step: stepName(effort, efforts) });
}

/** A model with one step besides `none` shows on and off. */
export function stepName(effort: Effort, efforts: readonly Effort[]): string {
  const isSwitch = efforts.length === 2 && efforts.includes('none');
  return effort !== 'none' && isSwitch ? t('thinking.on') : t(`thinking.${effort}`);
}
