/** The number of colors. */
const colors = 8;

export const seriesColor = (index: number): string => `var(--chart-${(index % colors) + 1})`;

interface SeriesMarkProps {
  readonly index: number;
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

/** A shape in addition to the color, for users who cannot tell the colors apart. */
export function SeriesMark({ index, x, y, size: r }: SeriesMarkProps) {
  const shapes = [
    `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
    `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
    `M${x} ${y - r}L${x + r} ${y + r}H${x - r}z`,
    `M${x} ${y - r * 1.3}L${x + r * 1.3} ${y}L${x} ${y + r * 1.3}L${x - r * 1.3} ${y}z`,
  ];
  return <path d={shapes[index % shapes.length]} style={{ fill: seriesColor(index) }} />;
}

interface LegendProps {
  readonly items: readonly { readonly name: string; readonly value?: string }[];
  readonly isList?: boolean;
}

/** The names of the colors and shapes. */
export function Legend({ items, isList = false }: LegendProps) {
  return (
    <ul className={`flex gap-x-4 gap-y-1 text-xs ${isList ? 'flex-col' : 'flex-wrap'}`}>
      {items.map(({ name, value }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a series has nothing but its place
        <li key={index} className="flex min-w-0 items-center gap-1.5">
          <svg viewBox="0 0 12 12" className="size-3 shrink-0" aria-hidden="true">
            <SeriesMark index={index} x={6} y={6} size={4.5} />
          </svg>
          <span className="min-w-0 wrap-anywhere">{name}</span>
          {value !== undefined && <span className="text-soft tabular-nums">{value}</span>}
        </li>
      ))}
    </ul>
  );
}
