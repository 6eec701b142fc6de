import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CostReport, CostRow } from '@shared/money/cost-report.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { useModelName } from '../../lib/models/use-model-name.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { money, span, tokens } from '../../lib/text/format.ts';
import { useMoney } from '../../lib/text/use-money.ts';
import { plural, t } from '../../lib/text/translate.ts';
import type { ProjectNames } from '../../lib/window/use-projects.ts';
import { useProjectNames } from '../../lib/window/use-projects.ts';
import { CounterfactualFigures, EnergyText } from '../../ui/figures/counterfactual-figures.tsx';
import { AskAgainButton } from '../../ui/model-picker/ask-again-button.tsx';
import { DayChart } from '../../ui/figures/day-chart.tsx';
import { Empty } from '../../ui/layout/facts.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { SpendingLimits } from '../../ui/figures/spending-limits.tsx';
import { OwnPriceMark } from '../../ui/figures/own-price-mark.tsx';
import { ViewHeader } from '../../ui/layout/view-header.tsx';
import { ReceiptLink } from '../../ui/figures/receipt-link.tsx';
import { WideContent } from '../../ui/layout/wide-content.tsx';
import { LostFigures } from '../../ui/figures/lost-figures.tsx';
import { ListedPrices } from './listed-prices.tsx';
import { MonthFigures } from './month-figures.tsx';
import { Select } from '../../ui/controls/select.tsx';

const groupings = ['day', 'model', 'project', 'session'] as const;

/** What all sessions of this home used and cost. */
export default function CostsView() {
  const client = useClient();
  const [by, setBy] = useState<(typeof groupings)[number]>('day');
  const [hasIds, setHasIds] = useState(false);
  const costs = useQuery({
    queryKey: ['costs', by],
    queryFn: ({ signal }) => client.costs({ by }, { signal }),
    staleTime: 0,
  });
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-5 px-5 py-8">
        <ViewHeader title={t('costs.title')} text={t('costs.text')}>
          {by !== 'day' && (
            <label className="flex h-8 items-center gap-2 text-sm">
              <input type="checkbox" checked={hasIds} onChange={({ target }) => setHasIds(target.checked)} />
              {t(by === 'project' ? 'costs.paths' : 'costs.ids')}
            </label>
          )}
          <label className="flex items-center gap-2 text-sm">
            {t('costs.by')}
            <Select
              value={by}
              onChange={({ target }) => setBy(groupings.find((one) => one === target.value) ?? 'day')}
              className="shrink-0"
            >
              {groupings.map((one) => (
                <option key={one} value={one}>
                  {t(`costs.by.${one}`)}
                </option>
              ))}
            </Select>
          </label>
        </ViewHeader>
        {costs.isPending && <Empty>{t('costs.loading')}</Empty>}
        {costs.error !== null && <Problem text={failureText(costs.error)} onRetry={costs.refetch} />}
        {costs.data !== undefined && <Report report={costs.data} hasIds={hasIds} />}
        <ReceiptLink about={null} />
        <SpendingLimits />
        <ListedPrices />
      </div>
    </div>
  );
}

/** The bars of two months can still be told apart. The table has all days. */
const shownDays = 62;

interface ReportProps {
  readonly report: CostReport;
  /** Shows below each name the id that settings, logs and the terminal use. */
  readonly hasIds: boolean;
}

function Report({ report, hasIds }: ReportProps) {
  const { rows, total, elsewhere, energy, unreadable } = report;
  const { currency, both } = useMoney();
  if (rows.length === 0)
    return (
      <Empty icon="coins" action="new">
        {t('cost.none')}
      </Empty>
    );
  const most = Math.max(...rows.map((row) => row.costUsd));
  return (
    <>
      <p className="text-xl font-semibold tracking-tight tabular-nums">
        {both(total.costUsd)}
        {total.unpricedCalls > 0 && (
          <span className="text-sm font-normal text-warn"> {plural('cost.unpriced', total.unpricedCalls)}</span>
        )}
      </p>
      {currency !== null && (
        <p className="-mt-3 text-xs text-soft">
          {t('costs.rate', { code: currency.code, perUsd: String(currency.perUsd) })}
        </p>
      )}
      {report.by === 'day' && <DayChart days={rows} most={shownDays} />}
      <WideContent>
        <table className="w-full text-sm">
          <thead>
            <tr className="border-b text-soft">
              <th scope="col" className="py-1.5 text-left font-normal">
                {t(`costs.by.${report.by}`)}
              </th>
              {(
                ['cost.calls', 'costs.local', 'costs.tokens', 'cost.money', 'costs.allCloud', 'costs.energy'] as const
              ).map((key) => (
                <th key={key} scope="col" className="py-1.5 pl-4 text-right font-normal whitespace-nowrap">
                  {t(key)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={row.key} row={row} by={report.by} most={most} hasId={hasIds && report.by !== 'day'} />
            ))}
          </tbody>
        </table>
      </WideContent>
      <section className="flex flex-col gap-2">
        <h2 className="text-sm font-semibold">{t('cost.elsewhere')}</h2>
        <CounterfactualFigures figures={elsewhere} />
      </section>
      <LostFigures lost={total.lost} />
      <AskAgainButton label={t('again.period')} sessionIds={null} />
      <MonthFigures />
      <section className="flex flex-col gap-2">
        <h2 className="text-sm font-semibold">{t('cost.energy')}</h2>
        <EnergyText energy={energy} localCalls={total.localCalls} />
      </section>
      {unreadable.length > 0 && <Notice kind="warning">{plural('costs.unreadable', unreadable.length)}</Notice>}
    </>
  );
}

interface RowProps {
  readonly row: CostRow;
  readonly by: CostReport['by'];
  readonly most: number;
  readonly hasId: boolean;
}

function Row({ row, by, most, hasId }: RowProps) {
  const modelName = useModelName();
  const projectName = useProjectNames();
  const { usage, energy, localCalls } = row;
  const { usd, basis, formula, why } = row.elsewhere.allCloud;
  const all = usage.freshInput + usage.cacheRead + usage.cacheWrite + usage.output;
  const percent = most === 0 ? 0 : (row.costUsd / most) * 100;
  return (
    <tr>
      <th scope="row" className="w-1/4 max-w-64 truncate py-1.5 text-left font-normal">
        {by === 'model' ? withoutProvider(modelName(row.key), row.key) : rowLabel(row, by, projectName)}
        {by === 'model' && <OwnPriceMark model={row.key} />}
        {hasId && row.key !== '' && (
          <span className="block font-mono text-xs break-all whitespace-normal text-soft">{seenName(row.key)}</span>
        )}
        <span aria-hidden="true" className="block h-1 rounded-full bg-cloud" style={{ width: `${percent}%` }} />
      </th>
      <td className="py-1.5 pl-4 text-right tabular-nums">{row.calls}</td>
      <td className="py-1.5 pl-4 text-right tabular-nums">{row.localCalls}</td>
      <td className="py-1.5 pl-4 text-right tabular-nums">{tokens(all)}</td>
      <td className="py-1.5 pl-4 text-right tabular-nums">
        {money(row.unpricedCalls > 0 ? null : row.costUsd)}
        {row.unpricedCalls === 0 && <OwnSum text={(show) => show(row.costUsd)} />}
      </td>
      <td title={usd === null ? (why ?? '') : formula} className="py-1.5 pl-4 text-right tabular-nums">
        {usd === null ? '–' : money(usd.value)}
        {usd !== null && basis !== 'measured' && (
          <span className="block text-xs whitespace-nowrap text-soft">
            {t('costs.estimate', { low: money(usd.low), high: money(usd.high) })}
          </span>
        )}
        {usd !== null && <OwnSum text={(show) => span(usd, show)} />}
      </td>
      <td className="py-1.5 pl-4 text-right tabular-nums">
        {localCalls > energy.unmeteredCalls
          ? `${energy.estimatedEnergyCalls > 0 ? '~' : ''}${energy.wattHours.toFixed(2)}`
          : '–'}
      </td>
    </tr>
  );
}

/** Below a sum in a table, the same in the user's currency. */
function OwnSum({ text }: { readonly text: Parameters<ReturnType<typeof useMoney>['own']>[0] }) {
  const own = useMoney().own(text);
  return own === null ? null : <span className="block text-xs whitespace-nowrap text-soft">≈ {own}</span>;
}

/** For a model that is in no list any more, the name without the provider says more. */
function withoutProvider(name: string, id: string): string {
  return name === seenName(id) ? name.slice(name.indexOf('/') + 1) : name;
}

function rowLabel({ key, label }: CostRow, by: CostReport['by'], projectName: ProjectNames): string {
  if (label !== '') return seenWords(label);
  if (by === 'session') return t('sessions.untitled');
  return by === 'project' ? projectName(key) : key;
}
