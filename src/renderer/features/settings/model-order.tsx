import { use, useId } from 'react';
import type { ModelEntry } from '@shared/contract/models-contract.ts';
import { useIsSettingFound } from '../../lib/input/settings-search.ts';
import { mostOrdered, sortedOrder, withModel } from '../../lib/models/model-order.ts';
import { useModelName } from '../../lib/models/use-model-name.ts';
import { useModels } from '../../lib/models/use-local-model.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { AreSettingsViewOnly } from '../../ui/controls/settings-parts.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { ModelOrderList } from '../../ui/model-picker/model-order-list.tsx';

interface ModelOrderProps {
  /** The order in the settings; null: none. */
  readonly order: readonly string[] | null;
  /** The models that work without an order: the local one, then the one in the cloud. */
  readonly usual: readonly string[];
  /** Null: no order of the user's own. */
  readonly onSave: (order: readonly string[] | null) => void;
}

/** Which models may work on a task, and in which order a stronger one goes on. */
export function ModelOrder({ order, usual, onSave }: ModelOrderProps) {
  const id = useId();
  const models = useModels().data ?? [];
  const label = t('settings.modelOrder');
  const hint = t('settings.modelOrder.hint');
  const isFound = useIsSettingFound(label, hint);
  const isViewOnly = use(AreSettingsViewOnly);
  const shown = order ?? usual;
  const change = (next: readonly string[]): void => onSave(next.length === 0 ? null : next);
  const sorted = sortedOrder(shown, models);
  return (
    <div hidden={!isFound} className="flex flex-col gap-2">
      <div>
        <h3 id={id}>{label}</h3>
        <p className="text-sm text-soft">{hint}</p>
      </div>
      <ModelOrderList label={label} order={shown} {...(order === null || isViewOnly ? {} : { onChange: change })} />
      {isViewOnly && order === null && <p className="text-sm text-soft">{t('settings.modelOrder.found')}</p>}
      {isViewOnly ? null : order === null ? (
        <div className="flex flex-wrap items-center gap-2">
          <p className="min-w-0 flex-1 text-sm text-soft">{t('settings.modelOrder.found')}</p>
          <Button onClick={() => onSave(usual)}>{t('settings.modelOrder.choose')}</Button>
        </div>
      ) : (
        <div className="flex flex-wrap items-center gap-2">
          <AddModel order={order} models={models} onAdd={(model) => onSave(withModel(order, model, models))} />
          <Button disabled={sorted.join() === order.join()} onClick={() => onSave(sorted)}>
            {t('settings.modelOrder.sort')}
          </Button>
          <Button onClick={() => onSave(null)}>{t('settings.modelOrder.usual')}</Button>
        </div>
      )}
    </div>
  );
}

interface AddModelProps {
  readonly order: readonly string[];
  readonly models: readonly ModelEntry[];
  readonly onAdd: (model: ModelEntry) => void;
}

/** The models that can be called and are not in the order yet. */
function AddModel({ order, models, onAdd }: AddModelProps) {
  const modelName = useModelName();
  const others = models.filter(({ id, state }) => state === 'ready' && !order.includes(id));
  const label = t('settings.modelOrder.add');
  return (
    <Select
      aria-label={label}
      value=""
      disabled={others.length === 0 || order.length >= mostOrdered}
      className="w-56 max-w-full"
      onChange={({ target }) => {
        const model = others.find(({ id }) => id === target.value);
        if (model !== undefined) onAdd(model);
      }}
    >
      <option value="">{label}</option>
      {others.map(({ id }) => (
        <option key={id} value={id}>
          {modelName(id)}
        </option>
      ))}
    </Select>
  );
}
