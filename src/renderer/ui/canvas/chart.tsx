import type { ReactNode } from 'react';
import { useEffect, useRef, useState } from 'react';
import type { CanvasChart, ChartSeries } from '@shared/tools/canvas.ts';
import { seenWords } from '@shared/text/seen-text.ts';
import type { Scale } from '../../lib/drawing/chart-scale.ts';
import { labelScale, numbersOf, roundScale, shortNumber } from '../../lib/drawing/chart-scale.ts';
import { t } from '../../lib/text/translate.ts';
import { PieChart } from './pie-chart.tsx';
import { Legend, SeriesMark, seriesColor } from './series-mark.tsx';

/** A chart in the colors of the page. A table has the same numbers. */
export function Chart({ chart }: { readonly chart: CanvasChart }) {
  const names = chart.series.map(({ name }) => seenWords(name));
  const label = t('chart.label', {
    kind: t(`canvas.${chart.kind}`),
    names: names.join(', '),
    axis: seenWords(chart.axis),
  });
  return (
    <div className="flex flex-col gap-2">
      <p className="sr-only">{label}</p>
      {chart.kind === 'pie' ? (
        <PieChart chart={chart} />
      ) : (
        <>
          <Plot chart={chart} />
          <Legend items={names.map((name) => ({ name }))} />
        </>
      )}
    </div>
  );
}

/** In pixels at the usual text size. */
const sizes = { height: 240, top: 8, right: 12, bottom: 22, letter: 7.2, gap: 8, least: 200 } as const;
/** With more points, a line has no marks. */
const mostMarks = 60;
const longestLabel = 14;

/** The layout in pixels. */
interface Room {
  readonly unit: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** The positions of the labels, in order. */
  readonly x: readonly number[];
  readonly y: (value: number) => number;
}

function Plot({ chart }: { readonly chart: CanvasChart }) {
  const { ref, width, unit } = useWidth();
  const across = labelScale(chart);
  const up = roundScale(numbersOf(chart), chart.kind === 'bar' || chart.kind === 'area');
  const ticks = up.ticks.map(shortNumber);
  const left = (Math.max(...ticks.map((text) => text.length)) * sizes.letter + sizes.gap) * unit;
  const inner = { left, top: sizes.top * unit, width: width - left - sizes.right * unit, height: sizes.height * unit };
  const room: Room = {
    ...inner,
    unit,
    x: chart.labels.map((_, index) => {
      const place = across === null ? (index + 0.5) / chart.labels.length : across.scale.place(across.at[index] ?? 0);
      return left + place * inner.width;
    }),
    y: (value) => inner.top + (1 - up.place(value)) * inner.height,
  };
  const bottom = sizes.bottom * unit * (chart.axis === '' ? 1 : 1.8);
  return (
    <div ref={ref} className="w-full">
      <svg aria-hidden="true" width={width} height={room.top + room.height + bottom} className="block text-xs">
        {up.ticks.map((tick, index) => (
          <g key={tick}>
            <path
              d={`M${left} ${room.y(tick)}h${room.width}`}
              className={tick === 0 ? 'stroke-line-strong' : 'stroke-line'}
            />
            <Word x={left - (sizes.gap / 2) * unit} y={room.y(tick) + 4 * unit} anchor="end">
              {ticks[index]}
            </Word>
          </g>
        ))}
        {across === null ? <Names chart={chart} room={room} /> : <Numbers scale={across.scale} room={room} />}
        {chart.axis !== '' && (
          <Word x={left + room.width / 2} y={room.top + room.height + bottom - 5 * unit} anchor="middle">
            {shortened(seenWords(chart.axis), 40)}
          </Word>
        )}
        {chart.series.map((series, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a series has nothing but its place
          <Series key={index} {...{ chart, series, index, room }} order={across?.at} />
        ))}
      </svg>
    </div>
  );
}

interface WordProps {
  readonly x: number;
  readonly y: number;
  readonly anchor: 'middle' | 'end';
  readonly children: ReactNode;
}

function Word({ anchor, children, ...place }: WordProps) {
  return (
    <text {...place} textAnchor={anchor} className="fill-soft tabular-nums">
      {children}
    </text>
  );
}

/** Shows only as many names as there is room for. */
function Names({ chart: { labels }, room }: { readonly chart: CanvasChart; readonly room: Room }) {
  const shown = labels.map((label) => shortened(seenWords(label), longestLabel));
  const widest = (Math.max(...shown.map((label) => label.length)) + 1) * sizes.letter * room.unit;
  const each = Math.ceil(widest / (room.width / labels.length));
  return shown.map((label, index) =>
    index % each === 0 ? (
      // oxlint-disable-next-line react/no-array-index-key -- a label has nothing but its place
      <Word key={index} x={room.x[index] ?? 0} y={below(room)} anchor="middle">
        {label}
      </Word>
    ) : null,
  );
}

function Numbers({ scale, room }: { readonly scale: Scale; readonly room: Room }) {
  const texts = scale.ticks.map(shortNumber);
  const widest = (Math.max(...texts.map((text) => text.length)) + 1) * sizes.letter * room.unit;
  const each = Math.ceil(widest / (room.width / scale.ticks.length));
  return scale.ticks.map((tick, index) =>
    index % each === 0 ? (
      <Word key={tick} x={room.left + scale.place(tick) * room.width} y={below(room)} anchor="middle">
        {texts[index]}
      </Word>
    ) : null,
  );
}

const below = ({ top, height, unit }: Room): number => top + height + 16 * unit;

interface SeriesProps {
  readonly chart: CanvasChart;
  readonly series: ChartSeries;
  readonly index: number;
  readonly room: Room;
  /** For labels that are numbers: the line goes from the smallest to the largest. */
  readonly order: readonly number[] | undefined;
}

function Series({ chart, series, index, room, order }: SeriesProps) {
  if (chart.kind === 'bar') return <Bars {...{ chart, series, index, room }} />;
  const places = chart.labels.map((label, place) => ({ label, place, value: series.values[place] ?? null }));
  if (order !== undefined) places.sort((a, b) => (order[a.place] ?? 0) - (order[b.place] ?? 0));
  const runs = runsOf(places.map(({ place, value }) => (value === null ? null : [room.x[place] ?? 0, room.y(value)])));
  const hasMarks = chart.kind === 'point' || places.length <= mostMarks;
  return (
    <g>
      {chart.kind === 'area' &&
        runs.map((run) => (
          <path
            key={run[0]?.[0]}
            d={`${lineOf(run)}V${room.y(0)}H${run[0]?.[0] ?? 0}z`}
            style={{ fill: seriesColor(index), fillOpacity: 0.2 }}
          />
        ))}
      {chart.kind !== 'point' && (
        <path
          d={runs.map(lineOf).join('')}
          style={{ stroke: seriesColor(index), strokeWidth: 2 * room.unit, fill: 'none' }}
        />
      )}
      {hasMarks &&
        places.map(({ label, place, value }) =>
          value === null ? null : (
            <g key={place}>
              <title>{tooltip(label, series.name, value)}</title>
              <SeriesMark
                index={index}
                x={room.x[place] ?? 0}
                y={room.y(value)}
                size={(chart.kind === 'point' ? 4 : 3) * room.unit}
              />
            </g>
          ),
        )}
    </g>
  );
}

function Bars({ chart, series, index, room }: Omit<SeriesProps, 'order'>) {
  const group = (room.width / chart.labels.length) * 0.8;
  const width = group / chart.series.length;
  return series.values.map((value, place) => {
    if (value === null) return null;
    const [top, end] = [Math.min(room.y(value), room.y(0)), Math.max(room.y(value), room.y(0))];
    return (
      <rect
        // oxlint-disable-next-line react/no-array-index-key -- a bar has nothing but its place
        key={place}
        x={(room.x[place] ?? 0) - group / 2 + index * width}
        y={top}
        width={Math.max(0.5, width - (width > 6 ? 1 : 0))}
        height={Math.max(1, end - top)}
        style={{ fill: seriesColor(index) }}
      >
        <title>{tooltip(chart.labels[place] ?? '', series.name, value)}</title>
      </rect>
    );
  });
}

function tooltip(label: string, name: string, value: number): string {
  return t('chart.value', { label: seenWords(label), name: seenWords(name), value: String(value) });
}

type Point = readonly [x: number, y: number];

/** A line has a gap where a number is missing. */
function runsOf(points: readonly (Point | null)[]): readonly (readonly Point[])[] {
  const runs: Point[][] = [[]];
  for (const point of points) {
    if (point === null) runs.push([]);
    else runs.at(-1)?.push(point);
  }
  return runs.filter((run) => run.length > 0);
}

function lineOf(run: readonly Point[]): string {
  return run.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');
}

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** The width of its place, and the ratio of the text size to the usual one. */
function useWidth() {
  const ref = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<{ readonly width: number; readonly unit: number }>({ width: 600, unit: 1 });
  useEffect(() => {
    const place = ref.current;
    if (place === null) return undefined;
    const measure = (): void => {
      const unit = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
      setSize({ width: Math.max(sizes.least, place.clientWidth), unit });
    };
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(place);
    return () => watch.disconnect();
  }, []);
  return { ref, ...size };
}
