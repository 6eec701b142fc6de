import type { ReactNode } from 'react';
import type { ComparisonRow } from '@shared/comparisons/comparison-table.ts';
import { money, seconds } from '../../lib/text/format.ts';
import { useMoney } from '../../lib/text/use-money.ts';
import { t } from '../../lib/text/translate.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { WayMark, WayName } from './way-mark.tsx';

/** Cost against solved tasks, and time, by way. The table has the same figures. Empty before a run has ended. */
export function ComparisonCharts({ rows }: { readonly rows: readonly ComparisonRow[] }) {
  const ended = rows.filter((row) => row.runs > 0);
  if (ended.length === 0) return null;
  return (
    <div className="grid items-start gap-x-8 gap-y-4 md:grid-cols-2">
      <MoneyAgainstSolved rows={ended} />
      <Times rows={ended} />
    </div>
  );
}

/** Names up to this length are written beside their points. Longer ones would cover each other: a number stands there. */
const shortName = 16;

/** What stands for a way in both charts, in the order of the ways. */
function marksOf(rows: readonly ComparisonRow[]): ReadonlyMap<string, string> | null {
  if (rows.every(({ way }) => way.length <= shortName)) return null;
  return new Map(rows.map(({ way }, index) => [way, String(index + 1)]));
}

interface ChartProps {
  readonly title: string;
  readonly children: ReactNode;
}

function Chart({ title, children }: ChartProps) {
  return (
    <figure className="flex min-w-0 flex-col gap-2 rounded-lg border border-line p-3 text-sm text-soft tabular-nums">
      <figcaption className="font-semibold">{title}</figcaption>
      {children}
    </figure>
  );
}

interface Placed {
  readonly row: ComparisonRow;
  readonly usd: number;
  /** Share of the judged runs, 0 to 1. */
  readonly solved: number;
}

/** Higher is better, further left is cheaper. */
function MoneyAgainstSolved({ rows }: { readonly rows: readonly ComparisonRow[] }) {
  const { both } = useMoney();
  const placed = rows.flatMap((row): readonly Placed[] => {
    const judged = row.checked;
    return row.costUsd === null || judged === 0 ? [] : [{ row, usd: row.costUsd.median, solved: row.solved / judged }];
  });
  const left = rows.filter((row) => placed.every((one) => one.row !== row)).map((row) => seenName(row.way));
  const dearest = Math.max(0, ...placed.map((one) => one.usd));
  const marks = marksOf(rows);
  return (
    <Chart title={t('compare.chart.money')}>
      <div className="grid grid-cols-[auto_1fr] gap-x-2 gap-y-1" aria-hidden="true">
        <div className="flex h-40 flex-col justify-between text-right">
          <span>{t('compare.chart.percent', { percent: 100 })}</span>
          <span>{t('compare.chart.percent', { percent: 50 })}</span>
          <span>{t('compare.chart.percent', { percent: 0 })}</span>
        </div>
        <div className="relative my-2 border-b border-l border-line-strong">
          <span className="absolute inset-x-0 top-0 border-t border-dashed border-line" />
          <span className="absolute inset-x-0 top-1/2 border-t border-dashed border-line" />
          {placed.map((one, index) => (
            <Point
              key={one.row.way}
              one={one}
              name={marks?.get(one.row.way) ?? seenName(one.row.way)}
              dearest={dearest}
              above={placed.slice(0, index)}
            />
          ))}
        </div>
        <span />
        <div className="flex justify-between">
          <span>{money(0)}</span>
          {dearest > 0 && <span>{both(dearest)}</span>}
        </div>
      </div>
      {left.length > 0 && <p>{t('compare.chart.left', { ways: left.join(', ') })}</p>}
    </Chart>
  );
}

interface PointProps {
  readonly one: Placed;
  readonly name: string;
  readonly dearest: number;
  /** The points drawn before it. Names of points at the same place are stacked. */
  readonly above: readonly Placed[];
}

function Point({ one, name, dearest, above }: PointProps) {
  const { both } = useMoney();
  const right = dearest === 0 ? 0 : one.usd / dearest;
  const same = above.filter((other) => isNear(other, one, dearest)).length;
  const isAtEnd = right > 0.6;
  return (
    <span
      className="absolute size-0"
      style={{ left: `${right * 100}%`, bottom: `${one.solved * 100}%` }}
      title={`${seenName(one.row.way)}: ${both(one.usd)}`}
    >
      <span className="absolute -top-1.5 -left-1.5">
        <WayMark way={one.row.way} />
      </span>
      <span
        className={`absolute max-w-48 truncate text-ink ${isAtEnd ? 'right-3' : 'left-3'}`}
        style={{ top: `${(one.solved > 0.1 ? 0 : -1.25) + (one.solved > 0.1 ? 1 : -1) * same}rem` }}
      >
        {name}
      </span>
    </span>
  );
}

/** Whether two names would overlap. */
function isNear(left: Placed, right: Placed, dearest: number): boolean {
  const apart = dearest === 0 ? 0 : Math.abs(left.usd - right.usd) / dearest;
  return apart < 0.25 && Math.abs(left.solved - right.solved) < 0.12;
}

function Times({ rows }: { readonly rows: readonly ComparisonRow[] }) {
  const slowest = Math.max(0, ...rows.map((row) => row.seconds?.median ?? 0));
  const marks = marksOf(rows);
  return (
    <Chart title={t('compare.chart.time')}>
      <ul className="flex flex-col gap-3">
        {rows.map(({ way, seconds: time }) => (
          <li key={way} className="flex flex-col gap-1">
            <span className="flex items-baseline gap-2 text-ink">
              {marks !== null && <span aria-hidden="true">{marks.get(way)}</span>}
              <WayMark way={way} />
              <span className="min-w-0 flex-1 wrap-anywhere">
                <WayName way={way} />
              </span>
              <span className="whitespace-nowrap">{time === null ? '–' : seconds(time.median * 1000)}</span>
            </span>
            <span className="h-2 rounded-full bg-chosen">
              <span
                className="block h-full rounded-full bg-line-strong"
                style={{ width: `${slowest === 0 || time === null ? 0 : (time.median / slowest) * 100}%` }}
              />
            </span>
          </li>
        ))}
      </ul>
    </Chart>
  );
}
