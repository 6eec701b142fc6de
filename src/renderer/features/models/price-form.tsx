import { useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { announce } from '../../lib/notices/announce.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { offerUndo } from '../../lib/notices/offer-undo.ts';
import { t } from '../../lib/text/translate.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { useOwnPrices } from '../../lib/models/use-own-prices.ts';
import { Button } from '../../ui/controls/button.tsx';
import { InputField } from '../../ui/controls/field.tsx';
import type { ModelEntry } from '@shared/contract/models-contract.ts';
import { seenName } from '@shared/text/seen-text.ts';

const rates = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;

/** The user's own price of a cloud model. It overrides the prices from the service and the list. */
export function PriceForm({ model }: { readonly model: ModelEntry }) {
  const isRefused = useIsCommandRefused('settings.set');
  const own = useOwnPrices().get(model.id) ?? null;
  const [isOpen, setIsOpen] = useState(false);
  const change = usePriceChange(model, () => setIsOpen(false));
  if (isRefused) return null;
  if (!isOpen) {
    return (
      <p className="flex flex-wrap items-center gap-x-2">
        <Button
          size="small"
          aria-label={t('price.of', { action: t(own === null ? 'price.set' : 'price.change'), model: model.label })}
          onClick={() => setIsOpen(true)}
        >
          {t(own === null ? 'price.set' : 'price.change')}
        </Button>
        {own !== null && (
          <Button
            size="small"
            aria-label={t('price.of', { action: t('price.listed'), model: model.label })}
            onClick={() => void change(null)}
          >
            {t('price.listed')}
          </Button>
        )}
      </p>
    );
  }
  const known = own ?? model.info?.price ?? null;
  return <Rates model={model} known={known} onSave={change} onCancel={() => setIsOpen(false)} />;
}

type Rate = (typeof rates)[number];
type Typed = Readonly<Record<Rate, string>>;

interface RatesProps {
  readonly model: ModelEntry;
  readonly known: Readonly<Partial<Record<Rate, number | null | undefined>>> | null;
  readonly onSave: (price: Readonly<Partial<Record<Rate, number>>>) => Promise<void>;
  readonly onCancel: () => void;
}

function Rates({ model, known, onSave, onCancel }: RatesProps) {
  const [typed, setTyped] = useState<Typed>({
    input: String(known?.input ?? ''),
    output: String(known?.output ?? ''),
    cacheRead: String(known?.cacheRead ?? ''),
    cacheWrite: String(known?.cacheWrite ?? ''),
  });
  const save = (event: FormEvent): void => {
    event.preventDefault();
    const given = rates.flatMap((rate) => (typed[rate].trim() === '' ? [] : [[rate, Number(typed[rate])] as const]));
    void onSave(Object.fromEntries(given));
  };
  return (
    <form
      aria-label={t('price.of', { action: t('price.set'), model: model.label })}
      onSubmit={save}
      className="mt-2 flex w-full flex-col gap-2"
    >
      <div className="grid gap-3 sm:grid-cols-4">
        {rates.map((rate) => (
          <InputField
            key={rate}
            label={t(`price.${rate}`)}
            type="number"
            min={0}
            step="any"
            required={rate === 'input' || rate === 'output'}
            value={typed[rate]}
            onText={(text) => setTyped({ ...typed, [rate]: text })}
          />
        ))}
      </div>
      <p className="text-xs text-soft">{t('price.text')}</p>
      <div className="flex gap-2">
        <Button type="submit" size="small">
          {t('price.save')}
        </Button>
        <Button size="small" look="quiet" onClick={onCancel}>
          {t('models.cancel')}
        </Button>
      </div>
    </form>
  );
}

/** Null: use the listed price again. Costs of earlier calls do not change. */
function usePriceChange({ id, label }: ModelEntry, onDone: () => void) {
  const client = useClient();
  const queries = useQueryClient();
  const hasOwn = useOwnPrices().has(id);
  const key = ['prices', id];
  const save = async (value: unknown): Promise<void> => {
    await (value === null ? client.settings.unset({ key }) : client.settings.set({ key, value }));
    await queries.invalidateQueries({ queryKey: ['settings'] });
    await queries.invalidateQueries({ queryKey: ['models'] });
  };
  return async (price: Readonly<Partial<Record<Rate, number>>> | null): Promise<void> => {
    try {
      const before = hasOwn ? await client.settings.get({ key }) : null;
      await save(price);
      onDone();
      if (before === null) return;
      offerUndo(t(price === null ? 'price.removed' : 'price.replaced', { model: seenName(label) }), () => save(before));
    } catch (error) {
      announce({ kind: 'error', text: `${t('settings.notSaved')} ${failureText(error)}` });
    }
  };
}
