import type { ReactNode } from 'react';
import type { ChartDay } from '../../lib/drawing/chart-days.ts';
import { daysBetween } from '../../lib/drawing/chart-days.ts';
import { useMoney } from '../../lib/text/use-money.ts';
import { plural, t } from '../../lib/text/translate.ts';

interface DayChartProps {
  /** In any order. Days without a call may be missing. */
  readonly days: readonly ChartDay[];
  /** The most days to show, up to the last one. */
  readonly most: number;
}

/** With fewer days, the bars would be too wide. */
const leastDays = 14;

/**
 * Two rows of bars over the same days: the cost, and the number of calls by place. The table beside it has the figures.
 */
export function DayChart({ days, most }: DayChartProps) {
  const { both } = useMoney();
  const shown = daysBetween(days, leastDays).slice(-most);
  const first = shown[0];
  const last = shown.at(-1);
  if (first === undefined || last === undefined) return null;
  const dearest = Math.max(0, ...shown.map((day) => day.costUsd));
  const busiest = Math.max(1, ...shown.map((day) => day.calls));
  return (
    <figure aria-label={t('cost.perDay')} className="flex flex-col gap-1 text-sm text-soft tabular-nums">
      <Scale text={dearest === 0 ? null : both(dearest)}>
        {shown.map(({ key, costUsd }) => (
          <Column key={key} title={`${key}: ${both(costUsd)}`}>
            {costUsd > 0 && <Bar look="bg-cloud" part={costUsd / dearest} />}
          </Column>
        ))}
      </Scale>
      <Scale text={plural('cost.chartCalls', busiest)}>
        {shown.map(({ key, calls, localCalls }) => (
          <Column key={key} title={t('cost.dayCalls', { day: key, local: localCalls, cloud: calls - localCalls })}>
            {calls > localCalls && <Bar look="bg-cloud" part={(calls - localCalls) / busiest} />}
            {localCalls > 0 && <Bar look="bg-local" part={localCalls / busiest} />}
          </Column>
        ))}
      </Scale>
      <figcaption className="flex justify-between">
        <span>{first.key}</span>
        {last !== first && <span>{last.key}</span>}
      </figcaption>
    </figure>
  );
}

interface ScaleProps {
  /** The value of the highest bar; null when there is none. */
  readonly text: string | null;
  readonly children: ReactNode;
}

function Scale({ text, children }: ScaleProps) {
  return (
    <div aria-hidden="true" className="relative h-12 border-b border-line">
      <span className="absolute top-0 left-0">{text}</span>
      <div className="flex h-full items-end gap-0.5">{children}</div>
    </div>
  );
}

function Column({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <span title={title} className="flex h-full flex-1 flex-col justify-end gap-px hover:bg-chosen">
      {children}
    </span>
  );
}

/** A part that is not zero is always visible. */
function Bar({ look, part }: { readonly look: string; readonly part: number }) {
  return <span className={`min-h-0.5 rounded-t-sm ${look}`} style={{ height: `${part * 100}%` }} />;
}
