import type { CanvasChart } from '@shared/tools/canvas.ts';
import { numberOf } from '@shared/tools/canvas.ts';

/** Maps numbers to positions between 0 and 1. */
export interface Scale {
  readonly ticks: readonly number[];
  readonly place: (value: number) => number;
}

/**
 * A scale from a little below the smallest to a little above the largest number, with round ticks. `hasZero`: includes
 * 0.
 */
export function roundScale(values: readonly number[], hasZero: boolean, most = 6): Scale {
  let [least, largest] = hasZero ? [0, 0] : [Infinity, -Infinity];
  for (const value of values) {
    least = Math.min(least, value);
    largest = Math.max(largest, value);
  }
  if (least >= largest) {
    const room = Math.abs(least) / 2 || 1;
    [least, largest] = hasZero ? [0, 1] : [least - room, largest + room];
  }
  const rough = (largest - least) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((one) => one * power >= rough) ?? 10) * power;
  const [first, last] = [Math.floor(least / step), Math.ceil(largest / step)];
  const [from, to] = [first * step, last * step];
  const ticks = Array.from({ length: Math.min(20, last - first + 1) }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
  return { ticks: [...new Set(ticks)], place: (value) => (value - from) / (to - from) };
}

export function numbersOf({ series }: CanvasChart): readonly number[] {
  return series.flatMap(({ values }) => values.filter((value) => value !== null));
}

/** Positions for labels that are numbers; null: the labels are evenly spaced. */
export function labelScale({
  kind,
  labels,
}: CanvasChart): { readonly scale: Scale; readonly at: readonly number[] } | null {
  if (kind === 'bar' || kind === 'pie') return null;
  const numbers = labels.map((label) => numberOf(label));
  const at = numbers.filter((number) => number !== undefined);
  if (at.length < labels.length || new Set(at).size < 2) return null;
  return { scale: roundScale(at, false, 8), at };
}

const plain = new Intl.NumberFormat('en', { maximumSignificantDigits: 6 });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 4 });

export function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e15 || (size !== 0 && size < 1e-4)) return value.toExponential(2);
  return (size >= 1e6 ? compact : plain).format(value);
}
