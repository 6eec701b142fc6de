import type { CanvasChart } from '@shared/tools/canvas.ts';
import { seenWords } from '@shared/text/seen-text.ts';
import { shortNumber } from '../../lib/drawing/chart-scale.ts';
import { t } from '../../lib/text/translate.ts';
import { Legend, seriesColor } from './series-mark.tsx';

/** Parts of a whole, starting at the top, each with its name and share. */
export function PieChart({ chart }: { readonly chart: CanvasChart }) {
  const values = chart.series[0]?.values.map((value) => value ?? 0) ?? [];
  const sum = values.reduce((all, value) => all + value, 0);
  const starts = values.map((_, index) => values.slice(0, index).reduce((all, value) => all + value, 0) / sum);
  const items = chart.labels.map((name, index) => {
    const percent = ((values[index] ?? 0) / sum) * 100;
    const part = percent > 0 && percent < 0.1 ? '< 0.1' : String(Number(percent.toFixed(1)));
    return {
      name: seenWords(name),
      value: t('chart.part', { value: shortNumber(values[index] ?? 0), percent: part }),
    };
  });
  return (
    <div className="flex flex-wrap items-center gap-x-8 gap-y-3">
      <svg viewBox="-101 -101 202 202" aria-hidden="true" className="w-44 shrink-0">
        {values.map((value, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a part has nothing but its place
          <path
            key={index}
            d={slice(starts[index] ?? 0, value / sum)}
            className="stroke-paper"
            style={{ fill: seriesColor(index) }}
          >
            <title>{`${items[index]?.name ?? ''}: ${items[index]?.value ?? ''}`}</title>
          </path>
        ))}
      </svg>
      <Legend items={items} isList />
    </div>
  );
}

function slice(start: number, part: number): string {
  if (part <= 0) return '';
  if (part > 0.9999) return 'M0 -100A100 100 0 1 1 0 100A100 100 0 1 1 0 -100z';
  const point = (turn: number): string =>
    `${(100 * Math.sin(2 * Math.PI * turn)).toFixed(2)} ${(-100 * Math.cos(2 * Math.PI * turn)).toFixed(2)}`;
  return `M0 0L${point(start)}A100 100 0 ${part > 0.5 ? 1 : 0} 1 ${point(start + part)}z`;
}
