import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { CapScope } from '@shared/events/approval-events.ts';
import { announce } from '../../lib/notices/announce.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { money } from '../../lib/text/format.ts';
import { offerUndo } from '../../lib/notices/offer-undo.ts';
import { t } from '../../lib/text/translate.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';

interface MoneyCapProps {
  readonly scope: CapScope;
  /** The project that the limit is for, if `scope` is a project; null: the limit for every project. */
  readonly projectPath?: string | null;
}

/** A spending limit that the user can change; empty: none. Saved on Enter or when the field loses the focus. */
export function MoneyCap({ scope, projectPath = null }: MoneyCapProps) {
  const client = useClient();
  const queries = useQueryClient();
  const isRefused = useIsCommandRefused('budget.change');
  const id = useId();
  const caps = useQuery({
    queryKey: ['settings', 'budget', projectPath],
    queryFn: ({ signal }) => client.budget.show({ projectPath }, { signal }),
  });
  const cap = caps.data?.find((one) => one.scope === scope) ?? null;
  // A project without its own limit uses the one for every project, which the field shows.
  const usual = scope === 'project' && projectPath !== null && cap?.isOwn === false ? cap.limitUsd : null;
  const value = usual === null ? (cap?.limitUsd ?? null) : null;
  const [typed, setTyped] = useState<string | null>(null);
  const save = async (): Promise<void> => {
    const usd = typed === null ? value : typed.trim() === '' ? null : Number(typed);
    setTyped(null);
    if (usd === value || (usd !== null && !(usd >= 0))) return;
    const set = async (next: number | null): Promise<void> => {
      await client.budget.change({ scope, projectPath, change: { how: 'set', usd: next } });
      await queries.invalidateQueries({ queryKey: ['settings'] });
    };
    try {
      await set(usd);
      if (usd === null) offerUndo(t('cost.cap.removed', { cap: t(`cost.cap.${scope}`) }), () => set(value));
    } catch (error) {
      announce({ kind: 'error', text: failureText(error) });
    }
  };
  return (
    <div className="flex items-center justify-between gap-3 text-sm">
      <label htmlFor={id} className="min-w-0 text-soft">
        {t(`cost.cap.${scope}`)}
        {cap !== null && cap.spentUsd !== null && (
          <span className="ml-1.5 text-xs whitespace-nowrap tabular-nums">
            {t('cost.cap.spent', { money: money(cap.spentUsd) })}
          </span>
        )}
      </label>
      <input
        id={id}
        type="number"
        min={0}
        step="any"
        disabled={isRefused}
        placeholder={usual === null ? t('cost.noCap') : t('cost.cap.asAll', { money: money(usual) })}
        value={typed ?? value ?? ''}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={() => void save()}
        onKeyDown={(event) => {
          if (event.key === 'Enter') void save();
        }}
        className="h-8 w-32 shrink-0 rounded-md border border-line-strong bg-raised px-2 text-right tabular-nums disabled:opacity-60"
      />
    </div>
  );
}
