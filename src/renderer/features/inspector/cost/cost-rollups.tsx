import { useQuery } from '@tanstack/react-query';
import type { CostRow } from '@shared/money/cost-report.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import { failureText } from '../../../lib/connection/failure-text.ts';
import { thisMonth } from '../../../lib/text/format.ts';
import { useMoney } from '../../../lib/text/use-money.ts';
import { t } from '../../../lib/text/translate.ts';
import { DayChart } from '../../../ui/figures/day-chart.tsx';
import { Section } from '../../../ui/layout/facts.tsx';
import { MoneyCap } from '../../../ui/figures/money-cap.tsx';
import { Problem } from '../../../ui/notices/problem.tsx';

interface CostRollupsProps {
  readonly projectPath: string | null;
  /** Changes when more was spent. */
  readonly version: number;
}

/** The cost of this project and this month, by day, each with its limit. */
export function CostRollups({ projectPath, version }: CostRollupsProps) {
  return (
    <>
      {projectPath !== null && (
        <Section title={t('cost.project')}>
          <Days queryKey={['costs', 'project', projectPath, version]} input={{ by: 'day', project: projectPath }} />
          <MoneyCap scope="project" projectPath={projectPath} />
        </Section>
      )}
      <Section title={t('cost.month')}>
        <Days queryKey={['costs', 'month', version]} input={{ by: 'day', since: `${thisMonth()}-01` }} />
        <MoneyCap scope="day" />
        <MoneyCap scope="month" />
      </Section>
      <Section title={t('cost.sessionCap')}>
        <MoneyCap scope="session" />
        <MoneyCap scope="task" />
      </Section>
    </>
  );
}

interface DaysProps {
  readonly queryKey: readonly unknown[];
  readonly input: { readonly by: 'day'; readonly project?: string; readonly since?: string };
}

/** The bars of one month fit. The table has the same days. */
const shownDays = 31;

function Days({ queryKey, input }: DaysProps) {
  const client = useClient();
  const { both } = useMoney();
  const report = useQuery({ queryKey, queryFn: ({ signal }) => client.costs({ ...input }, { signal }) });
  if (report.error !== null) return <Problem text={failureText(report.error)} onRetry={report.refetch} />;
  if (report.data === undefined) return <p className="text-sm text-soft">{t('costs.loading')}</p>;
  const { rows, total } = report.data;
  if (rows.length === 0) return <p className="text-sm text-soft">{t('cost.noDays')}</p>;
  return (
    <>
      <p className="text-xl font-semibold tabular-nums">{both(total.costUsd)}</p>
      <DayChart days={rows} most={shownDays} />
      <DayTable days={rows.toSorted((left, right) => (left.key < right.key ? 1 : -1)).slice(0, shownDays)} />
    </>
  );
}

/** Latest day first. A busy month scrolls. */
function DayTable({ days }: { readonly days: readonly CostRow[] }) {
  const { both } = useMoney();
  return (
    <div
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
      tabIndex={0}
      className="max-h-44 overflow-y-auto text-xs"
    >
      <table className="w-full">
        <thead className="sticky top-0 bg-paper">
          <tr className="border-b text-soft">
            <th scope="col" className="py-1 text-left font-normal">
              {t('costs.by.day')}
            </th>
            {(['cost.calls', 'costs.local', 'cost.money'] as const).map((key) => (
              <th key={key} scope="col" className="py-1 text-right font-normal">
                {t(key)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="tabular-nums">
          {days.map(({ key, calls, localCalls, costUsd, unpricedCalls }) => (
            <tr key={key}>
              <th scope="row" className="py-0.5 text-left font-normal">
                {key}
              </th>
              <td className="py-0.5 text-right">{calls}</td>
              <td className="py-0.5 text-right">{localCalls}</td>
              <td className="py-0.5 text-right">{both(unpricedCalls > 0 ? null : costUsd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
