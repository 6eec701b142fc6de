import type { CostReport, CostRow } from './cost-report.ts';
import type { Elsewhere, Interval } from './counterfactual.ts';
import { spreadFactor } from './found-interval.ts';

/** What one way of working costs in 30 days, in US dollars. */
export interface MonthWay {
  /** Null: `why` says what is unknown. */
  readonly usd: Interval | null;
  /** What is unknown, or what the sum does not include. */
  readonly why: string | null;
}

/** What a month of the work in the logs costs, and when a machine has paid for itself. */
export interface MonthCosts {
  /**
   * The days that were counted, to yesterday: from the first with a call, or all that are looked at where an older call
   * shows that this machine was in use before. Null: no call in them.
   */
  readonly days: { readonly since: string; readonly until: string; readonly count: number } | null;
  /** From the first of this month to now: cloud calls and electricity. */
  readonly spent: MonthWay;
  /** The whole of this month, at the pace of the counted days. */
  readonly forecast: MonthWay;
  readonly asWorked: MonthWay;
  readonly allCloud: MonthWay;
  readonly allLocal: MonthWay;
  /**
   * Months until what is saved against the cloud alone adds up to the price of the hardware. `high` is null where the
   * interval includes "never".
   */
  readonly payback: {
    readonly hardwareUsd: number | null;
    readonly months: { readonly value: number; readonly low: number; readonly high: number | null } | null;
    readonly why: string | null;
  };
}

/** The days before today that are looked at. */
export const monthCostsDays = 90;
/** Fewer days say nothing of a month: a week has its work days and its weekend. */
const leastDays = 7;
const monthDays = 30;
const dayMs = 86_400_000;

const atUtc = (day: string): number => Date.parse(`${day}T00:00:00Z`);
const dayAfter = (day: string, count: number): string =>
  new Date(atUtc(day) + count * dayMs).toISOString().slice(0, 10);

/** The first day that the costs from `today` looks at. */
export const monthCostsSince = (today: string): string => dayAfter(today, -monthCostsDays);

/**
 * `report` is by day, from `monthCostsSince(today)`. A day without calls counts as 0.
 *
 * A sum of k more days lies within k × mean ± t × s × √(k + k² / n) with 90 % (the prediction interval for a sum, for n
 * days that are alike and independent). The interval of an estimate is widened by that.
 */
export function monthCosts(
  report: Pick<CostReport, 'rows' | 'elsewhere' | 'firstDay'>,
  { today, hardwareUsd }: { readonly today: string; readonly hardwareUsd: number | null },
): MonthCosts {
  const before = report.rows.filter(({ key }) => key < today);
  const first = firstCounted(before[0]?.key, today, report.firstDay);
  const days =
    first === undefined
      ? null
      : { since: first, until: dayAfter(today, -1), count: Math.round((atUtc(today) - atUtc(first)) / dayMs) };
  const month = report.rows.filter(({ key }) => key.slice(0, 7) === today.slice(0, 7));
  const spent = spentOn(month);
  const count = days?.count ?? 0;
  const few = count < leastDays ? tooFew(count) : null;
  const asWorked = few ?? scaled(spentOn(before), { values: before.map(paidOn), count, ahead: monthDays });
  const allCloud =
    few ?? elsewhereMonth(before, (row) => row.elsewhere.allCloud, { whole: report.elsewhere.allCloud, count });
  const allLocal =
    few ?? elsewhereMonth(before, (row) => row.elsewhere.allLocal, { whole: report.elsewhere.allLocal, count });
  return {
    days,
    spent,
    forecast: few ?? forecastOf(spent, { today, before, month, count }),
    asWorked,
    allCloud,
    allLocal,
    payback: { hardwareUsd, ...paybackOf(hardwareUsd, { asWorked, allCloud, before }) },
  };
}

/** After a long pause, the days of the pause count too: else a month would cost what a month without pauses costs. */
function firstCounted(key: string | undefined, today: string, firstDay: string | undefined): string | undefined {
  const since = monthCostsSince(today);
  return key !== undefined && firstDay !== undefined && firstDay < since ? since : key;
}

function tooFew(count: number): MonthWay {
  const seen = count === 0 ? 'there is none before today' : `there ${count === 1 ? 'is 1' : `are ${count}`}`;
  return {
    usd: null,
    why: `a month is estimated from at least ${leastDays} days, counted from the first call; ${seen}`,
  };
}

const paidOn = (row: CostRow): number => row.costUsd + row.energy.energyUsd;
const exact = (value: number): Interval => ({ value, low: value, high: value });
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Cloud calls and electricity of these days. */
function spentOn(rows: readonly CostRow[]): MonthWay {
  const unpriced = sum(rows.map((row) => row.unpricedCalls));
  if (unpriced > 0)
    return { usd: null, why: `${unpriced} ${unpriced === 1 ? 'call has' : 'calls have'} no known price` };
  const isPartly = rows.some(({ energy }) => energy.unmeteredCalls + energy.unpricedEnergyCalls > 0);
  const why = isPartly ? 'electricity of some calls is unknown and not included' : null;
  return { usd: exact(sum(rows.map(paidOn))), why };
}

interface Pace {
  /** US dollars of each day that has any. */
  readonly values: readonly number[];
  /** All days, also those without a call. */
  readonly count: number;
  /** The days to come. */
  readonly ahead: number;
}

function scaled({ usd, why }: MonthWay, pace: Pace): MonthWay {
  return usd === null ? { usd, why } : { usd: comingDays(pace), why };
}

function comingDays({ values, count, ahead }: Pace): Interval {
  const mean = sum(values) / count;
  const squares = sum(values.map((value) => (value - mean) ** 2)) + (count - values.length) * mean ** 2;
  const spread = Math.sqrt(squares / (count - 1));
  const half = spreadFactor(count - 1) * spread * Math.sqrt(ahead + ahead ** 2 / count);
  const value = mean * ahead;
  return { value, low: Math.max(0, value - half), high: value + half };
}

interface ForecastDays {
  readonly today: string;
  /** The days of work before today, and those of this month. */
  readonly before: readonly CostRow[];
  readonly month: readonly CostRow[];
  readonly count: number;
}

function forecastOf({ usd, why }: MonthWay, { today, before, month, count }: ForecastDays): MonthWay {
  if (usd === null) return { usd, why };
  const pace = spentOn(before);
  if (pace.usd === null) return pace;
  const [year, monthNumber] = today.split('-').map(Number);
  const last = new Date(Date.UTC(year ?? 0, monthNumber ?? 1, 0)).getUTCDate();
  // Today counts as a day to come, because it is not over: but never as less than was spent in it.
  const coming = comingDays({ values: before.map(paidOn), count, ahead: last - Number(today.slice(8)) + 1 });
  const until = sum(month.filter(({ key }) => key < today).map(paidOn));
  const whole = (days: number): number => Math.max(usd.value, until + days);
  return {
    usd: { value: whole(coming.value), low: whole(coming.low), high: whole(coming.high) },
    why: why ?? pace.why,
  };
}

/** The interval of the whole estimate, widened by how much the days differ. */
function elsewhereMonth(
  rows: readonly CostRow[],
  of: (row: CostRow) => Elsewhere,
  { whole, count }: { readonly whole: Elsewhere; readonly count: number },
): MonthWay {
  const days = rows.map((row) => of(row));
  const unknown = days.find(({ usd }) => usd === null);
  if (unknown !== undefined || whole.usd === null) return { usd: null, why: unknown?.why ?? whole.why };
  const coming = comingDays({ values: days.map(({ usd }) => usd?.value ?? 0), count, ahead: monthDays });
  const { value, low, high } = whole.usd;
  const share = (end: number): number => (value > 0 ? end / value : 1);
  return {
    usd: { value: coming.value, low: coming.low * share(low), high: coming.high * share(high) },
    why: whole.why,
  };
}

function paybackOf(
  hardwareUsd: number | null,
  { asWorked, allCloud, before }: Pick<MonthCosts, 'asWorked' | 'allCloud'> & { readonly before: readonly CostRow[] },
): Pick<MonthCosts['payback'], 'months' | 'why'> {
  const unknown = (why: string | null) => ({ months: null, why });
  if (hardwareUsd === null) return unknown('the price of your hardware is not set; set energy.hardwareUsd');
  if (asWorked.usd === null) return unknown(asWorked.why);
  if (allCloud.usd === null) return unknown(allCloud.why);
  if (before.every(({ localCalls }) => localCalls === 0)) {
    return unknown('no model ran on this machine, so what it saves is unknown');
  }
  const paid = asWorked.usd.value;
  const saved = { value: allCloud.usd.value - paid, low: allCloud.usd.low - paid, high: allCloud.usd.high - paid };
  if (saved.value <= 0) return unknown('at this pace it saves nothing against the cloud alone');
  return {
    months: {
      value: hardwareUsd / saved.value,
      low: hardwareUsd / saved.high,
      high: saved.low > 0 ? hardwareUsd / saved.low : null,
    },
    why: asWorked.why,
  };
}
