import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { announce } from '../lib/announce.ts';
import { useClient } from '../lib/core-context.ts';
import { failureText } from '../lib/failure-text.ts';
import { t } from '../lib/texts.ts';
import { useRefused } from '../lib/use-host.ts';

/** A cap on money, raised or lowered by what is typed; empty: none. Saved when it is left or Enter is pressed. */
export function MoneyCap({ scope }: { readonly scope: 'task' | 'session' | 'project' | 'day' | 'month' }) {
  const client = useClient();
  const queries = useQueryClient();
  const isRefused = useRefused('settings.set');
  const id = useId();
  const key = `budget.${scope}`;
  const cap = useQuery({
    queryKey: ['settings', key],
    queryFn: ({ signal }) => client.settings.get({ key }, { signal }),
  });
  const value = typeof cap.data === 'number' ? cap.data : null;
  const [typed, setTyped] = useState<string | null>(null);
  const save = async (): Promise<void> => {
    const next = typed === null ? value : typed.trim() === '' ? null : Number(typed);
    setTyped(null);
    if (next === value || (next !== null && !(next >= 0))) return;
    try {
      await client.settings.set({ key, value: next });
    } catch (error) {
      announce({ kind: 'error', text: failureText(error) });
    }
    await queries.invalidateQueries({ queryKey: ['settings'] });
  };
  return (
    <div className="flex items-center justify-between gap-3 text-sm">
      <label htmlFor={id} className="text-soft">
        {t(`cost.cap.${scope}`)}
      </label>
      <input
        id={id}
        type="number"
        min={0}
        step="any"
        disabled={isRefused}
        placeholder={t('cost.noCap')}
        value={typed ?? value ?? ''}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={() => void save()}
        onKeyDown={(event) => {
          if (event.key === 'Enter') void save();
        }}
        className="h-8 w-28 rounded-md border border-line-strong bg-raised px-2 text-right tabular-nums disabled:opacity-60"
      />
    </div>
  );
}
