import type { CapView } from '@shared/contract/budget-contract.ts';

/** How much of the month's limit is spent. */
export interface MonthSpent {
  readonly limitUsd: number;
  readonly spentUsd: number;
}

/** The limit of the month among all. Null: there is none, or what was spent is unknown. */
export function monthSpent(caps: readonly CapView[]): MonthSpent | null {
  const month = caps.find(({ scope }) => scope === 'month');
  if (month === undefined || month.limitUsd === null || month.spentUsd === null) return null;
  return { limitUsd: month.limitUsd, spentUsd: month.spentUsd + (month.heldUsd ?? 0) };
}

/** How strongly the whole month counts, and the last days. */
const BY_MONTH = 16;
const BY_DAYS = 8;
const DAYS = 3;
const DAY_MS = 24 * 3600 * 1000;
/** Beyond this, the cloud is asked only where the work fails here. */
export const OVER_PACE = 4;

/**
 * How many times a dollar in the cloud counts, so that the limit lasts for the month: 1 up to its even pace, more the
 * faster it is used. One controller (proportional to the last days, integral over the month). `recentUsd`: the last
 * three days.
 */
export function paceOf({ limitUsd, spentUsd }: MonthSpent, recentUsd: number, now: number): number {
  if (limitUsd <= 0) return 100;
  const { share, days } = monthAt(now);
  const ahead = spentUsd / limitUsd - share;
  const faster = recentUsd / limitUsd - DAYS / days;
  const factor = Math.exp(BY_MONTH * ahead + BY_DAYS * Math.max(0, faster));
  return Math.round(Math.min(100, Math.max(1, factor)) * 100) / 100;
}

/** Where the spending of the last days begins. */
export function recentSince(now: number): number {
  return now - DAYS * DAY_MS;
}

/** How much of the month is over, in the time zone of this machine, and how many days it has. */
function monthAt(now: number): { readonly share: number; readonly days: number } {
  const date = new Date(now);
  const start = new Date(date.getFullYear(), date.getMonth(), 1).getTime();
  const end = new Date(date.getFullYear(), date.getMonth() + 1, 1).getTime();
  return { share: (now - start) / (end - start), days: (end - start) / DAY_MS };
}
