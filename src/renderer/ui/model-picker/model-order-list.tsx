import type { ModelEntry } from '@shared/contract/models-contract.ts';
import { useModels } from '../../lib/models/use-local-model.ts';
import { useModelName } from '../../lib/models/use-model-name.ts';
import { t } from '../../lib/text/translate.ts';
import { OrderedList } from '../controls/ordered-list.tsx';

interface ModelOrderListProps {
  readonly label: string;
  readonly order: readonly string[];
  /** Absent: the order is only shown. */
  readonly onChange?: (order: readonly string[]) => void;
}

/** The models that may work on a task, in the order in which a stronger one goes on. */
export function ModelOrderList({ label, order, onChange }: ModelOrderListProps) {
  const models = useModels().data ?? [];
  const modelName = useModelName();
  const items = order.map((id) => ({ id, name: modelName(id), note: noteOf(id, models) }));
  return <OrderedList label={label} items={items} {...(onChange === undefined ? {} : { onChange })} />;
}

/** Where it runs, or why it cannot be used now. And what its record says of it, by which the router ranks it. */
function noteOf(id: string, models: readonly ModelEntry[]): string {
  const model = models.find((one) => one.id === id);
  if (model === undefined) return t('settings.modelOrder.gone');
  if (model.state !== 'ready') return t(`settings.modelOrder.${model.state}`);
  const where = t(`settings.modelOrder.${model.where}`);
  if (model.ability?.source !== 'record') return where;
  return t('settings.modelOrder.record', { where, percent: Math.round(model.ability.chance * 100) });
}
