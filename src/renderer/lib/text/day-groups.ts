import type { TextKey } from './translate.ts';

/** Items of one day or period, under its name. */
export interface DayGroup<T> {
  readonly key: string;
  /** A text, or the month for older items. */
  readonly label: { readonly key: TextKey } | { readonly month: string };
  readonly items: readonly T[];
}

const dayMs = 24 * 60 * 60 * 1000;

/** Groups items by the local day of `updatedAt`. Keeps their order. */
export function groupByDay<T extends { readonly updatedAt: number }>(
  items: readonly T[],
  now: number,
): readonly DayGroup<T>[] {
  const groups = new Map<string, { readonly label: DayGroup<T>['label']; readonly items: T[] }>();
  for (const item of items) {
    const label = labelOf(item.updatedAt, now);
    const key = 'key' in label ? label.key : label.month;
    const group = groups.get(key) ?? { label, items: [] };
    group.items.push(item);
    groups.set(key, group);
  }
  return [...groups].map(([key, group]) => ({ key, ...group }));
}

function labelOf(at: number, now: number): DayGroup<never>['label'] {
  // By the calendar, because a day with a clock change does not have 24 hours.
  const days = Math.round((startOfDay(now) - startOfDay(at)) / dayMs);
  if (days <= 0) return { key: 'sessions.today' };
  if (days === 1) return { key: 'sessions.yesterday' };
  if (days <= 7) return { key: 'sessions.week' };
  if (days <= 30) return { key: 'sessions.month' };
  return { month: new Date(at).toLocaleDateString('en', { month: 'long', year: 'numeric' }) };
}

function startOfDay(at: number): number {
  const date = new Date(at);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
