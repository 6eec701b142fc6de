import { useQuery } from '@tanstack/react-query';
import type { MonthCosts, MonthWay } from '@shared/money/month-costs.ts';
import { seenWords } from '@shared/text/seen-text.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { span } from '../../lib/text/format.ts';
import { useMoney } from '../../lib/text/use-money.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { useNavigate } from '../../lib/window/navigation.ts';
import { Problem } from '../../ui/notices/problem.tsx';

const ways = ['spent', 'forecast', 'asWorked', 'allCloud', 'allLocal'] as const;

/** What a month of the work of the last days costs in three ways, and when the hardware has paid for itself. */
export function MonthFigures() {
  const client = useClient();
  const month = useQuery({
    queryKey: ['month-costs'],
    queryFn: ({ signal }) => client.monthCosts({}, { signal }),
    staleTime: 0,
  });
  if (month.error !== null) return <Problem text={failureText(month.error)} onRetry={month.refetch} />;
  if (month.data === undefined) return null;
  const { days, payback } = month.data;
  return (
    <section className="flex flex-col gap-2">
      <h2 className="text-sm font-semibold">{t('costs.month')}</h2>
      <dl className="flex flex-col gap-1 text-sm">
        {ways.map((name) => (
          <Way key={name} label={t(`costs.month.${name}`)} way={month.data[name]} />
        ))}
        <Payback payback={payback} />
      </dl>
      {days !== null && <p className="text-xs text-soft">{t('costs.month.text', { ...days })}</p>}
    </section>
  );
}

function Way({ label, way: { usd, why } }: { readonly label: string; readonly way: MonthWay }) {
  const { write } = useMoney();
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-4">
      <dt>{label}</dt>
      <dd className="text-right tabular-nums">
        {usd === null ? t('cost.notKnown') : write((show) => span(usd, show))}
        {why !== null && <span className="block text-xs text-soft">{seenWords(why)}</span>}
      </dd>
    </div>
  );
}

function Payback({ payback: { hardwareUsd, months, why } }: { readonly payback: MonthCosts['payback'] }) {
  const navigate = useNavigate();
  const { both } = useMoney();
  if (hardwareUsd === null) {
    return (
      <button
        type="button"
        className="self-start text-soft underline hover:text-ink"
        onClick={() => navigate({ type: 'settings' })}
      >
        {t('costs.month.hardware')}
      </button>
    );
  }
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-4">
      <dt>{t('costs.month.payback', { money: both(hardwareUsd) })}</dt>
      <dd className="text-right tabular-nums">
        {months === null ? t('cost.notKnown') : paidText(months)}
        {why !== null && <span className="block text-xs text-soft">{seenWords(why)}</span>}
      </dd>
    </div>
  );
}

/** More than this many months are told in years. */
const mostMonths = 36;

function paidText({ value, low, high }: NonNullable<MonthCosts['payback']['months']>): string {
  const isPerhaps = high === null;
  if (value <= mostMonths)
    return plural(isPerhaps ? 'costs.month.perhapsPaid' : 'costs.month.paid', Math.ceil(value), {
      low: Math.ceil(low),
      high: Math.ceil(high ?? 0),
    });
  const years = (months: number): number => Math.round(months / 12);
  return t(isPerhaps ? 'costs.month.perhapsPaidYears' : 'costs.month.paidYears', {
    years: years(value),
    low: years(low),
    high: years(high ?? 0),
  });
}
