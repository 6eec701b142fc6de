import { useQuery } from '@tanstack/react-query';
import type { CostReport } from '@shared/cost-report.ts';
import { useClient } from '../../lib/core-context.ts';
import { failureText } from '../../lib/failure-text.ts';
import { money } from '../../lib/format.ts';
import { t } from '../../lib/texts.ts';
import { Section } from '../../ui/facts.tsx';
import { MoneyCap } from '../../ui/money-cap.tsx';
import { Notice } from '../../ui/notice.tsx';

interface CostRollupsProps {
  readonly projectPath: string | null;
  /** Changes when more was spent. */
  readonly version: number;
}

/** What this project and this month came to, day by day, each with its cap. */
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
        <Days queryKey={['costs', 'month', version]} input={{ by: 'day', since: firstOfMonth() }} />
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

function Days({ queryKey, input }: DaysProps) {
  const client = useClient();
  const report = useQuery({ queryKey, queryFn: ({ signal }) => client.costs({ ...input }, { signal }) });
  if (report.error !== null) return <Notice kind="error">{failureText(report.error)}</Notice>;
  if (report.data === undefined) return <p className="text-sm text-soft">{t('costs.loading')}</p>;
  return <Chart report={report.data} />;
}

/** A month of bars is what fits; the table has the same days. */
const shownDays = 31;

function Chart({ report: { rows, total } }: { readonly report: CostReport }) {
  const days = rows.toSorted((left, right) => (left.key < right.key ? -1 : 1)).slice(-shownDays);
  const most = Math.max(0, ...days.map((day) => day.costUsd));
  return (
    <>
      <p className="text-lg font-semibold tabular-nums">{money(total.costUsd)}</p>
      {days.length > 1 && (
        <div aria-hidden="true" className="flex h-14 items-end gap-0.5">
          {days.map((day) => (
            <span
              key={day.key}
              title={`${day.key} ${money(day.costUsd)}`}
              className="min-h-px flex-1 rounded-t-sm bg-cloud"
              style={{ height: `${most === 0 ? 0 : (day.costUsd / most) * 100}%` }}
            />
          ))}
        </div>
      )}
      <details className="text-sm">
        <summary className="cursor-pointer text-xs text-soft">{t('cost.table')}</summary>
        <table className="mt-1 w-full">
          <thead>
            <tr className="border-b text-soft">
              <th scope="col" className="py-1 text-left font-normal">
                {t('costs.by.day')}
              </th>
              <th scope="col" className="py-1 text-right font-normal">
                {t('cost.calls')}
              </th>
              <th scope="col" className="py-1 text-right font-normal">
                {t('cost.money')}
              </th>
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map((day) => (
              <tr key={day.key}>
                <th scope="row" className="py-0.5 text-left font-normal">
                  {day.key}
                </th>
                <td className="py-0.5 text-right tabular-nums">{day.calls}</td>
                <td className="py-0.5 text-right tabular-nums">{money(day.unpricedCalls > 0 ? null : day.costUsd)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

/** By this machine's calendar, as the core counts days. */
function firstOfMonth(): string {
  const now = new Date();
  return `${now.getFullYear()}-${String(now.getMonth() + 1).padStart(2, '0')}-01`;
}
