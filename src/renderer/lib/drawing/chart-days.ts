/** The figures of one day in a chart. */
export interface ChartDay {
  /** `2026-11-21`, in this machine's calendar. */
  readonly key: string;
  readonly calls: number;
  readonly localCalls: number;
  readonly costUsd: number;
}

const dayMs = 24 * 60 * 60 * 1000;

/**
 * All days from the first to the last, including those without a call, so that gaps are visible. With fewer than
 * `least` days, it starts earlier.
 */
export function daysBetween(days: readonly ChartDay[], least = 1): readonly ChartDay[] {
  const known = new Map(days.map((day) => [day.key, day]));
  const keys = [...known.keys()].sort();
  const to = Date.parse(keys.at(-1) ?? '');
  const from = Math.min(Date.parse(keys[0] ?? ''), to - (least - 1) * dayMs);
  const all: ChartDay[] = [];
  for (let at = from; at <= to; at += dayMs) {
    const key = new Date(at).toISOString().slice(0, 10);
    all.push(known.get(key) ?? { key, calls: 0, localCalls: 0, costUsd: 0 });
  }
  return all;
}
