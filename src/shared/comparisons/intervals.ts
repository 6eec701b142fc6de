import type { Interval } from '@shared/money/counterfactual.ts';

/** Of a two-sided 95 % interval, the quantile of the normal distribution. */
const z = 1.959963984540054;

/** Wilson's score interval of a share (E. B. Wilson 1927), 95 %. 0 to 1 if there is nothing to count. */
export function shareInterval(hits: number, count: number): Interval {
  if (count === 0) return { value: 0, low: 0, high: 1 };
  const share = hits / count;
  const scale = 1 + (z * z) / count;
  const center = (share + (z * z) / (2 * count)) / scale;
  const half = (z * Math.sqrt((share * (1 - share)) / count + (z * z) / (4 * count * count))) / scale;
  // Exact at the ends, where rounding would leave 1e-17 or 1 - 1e-16.
  return {
    value: share,
    low: hits === 0 ? 0 : Math.max(0, center - half),
    high: hits === count ? 1 : Math.min(1, center + half),
  };
}

/** Of the members of one group. */
interface GroupCount {
  readonly hits: number;
  readonly count: number;
}

/**
 * The share over groups whose members resemble each other, such as the calls of sessions: Wilson's interval with the
 * count divided by the design effect (E. L. Korn and B. I. Graubard, "Confidence intervals for proportions with small
 * expected number of positive counts", 1998). One group alone says nothing of how groups differ, so it is Wilson's.
 */
export function groupedShareInterval(groups: readonly GroupCount[]): Interval {
  const counted = groups.filter(({ count }) => count > 0);
  const hits = counted.reduce((sum, one) => sum + one.hits, 0);
  const count = counted.reduce((sum, one) => sum + one.count, 0);
  // One for each group: nothing is counted twice.
  if (counted.length < 2 || counted.length === count) return shareInterval(hits, count);
  const share = hits / count;
  // All or none: nothing says how much they resemble each other, so a group counts once.
  if (hits === 0 || hits === count) return shareInterval(share * counted.length, counted.length);
  const spread = counted.reduce((sum, one) => sum + (one.hits - share * one.count) ** 2, 0);
  const variance = (counted.length / (counted.length - 1)) * (spread / count ** 2);
  const effective = count / Math.max(1, variance / ((share * (1 - share)) / count));
  return { ...shareInterval(share * effective, effective), value: share };
}

/** How two ways did on the same tasks. */
export interface PairedCounts {
  readonly both: number;
  readonly onlyFirst: number;
  readonly onlySecond: number;
  readonly neither: number;
}

/**
 * The difference of two shares of independent samples, first minus second: method 10 of R. G. Newcombe, "Interval
 * estimation for the difference between independent proportions", Statistics in Medicine 17 (1998), 873-890. Null when a
 * sample is empty.
 */
export function unpairedDifference(first: Sample, second: Sample): Interval | null {
  return first.total === 0 || second.total === 0 ? null : combine(first, second, 0);
}

/**
 * The difference of two shares on the same tasks: method 10 of R. G. Newcombe, "Improved confidence intervals for the
 * difference between binomial proportions based on paired data", Statistics in Medicine 17 (1998), 2635-2650. Unlike a
 * bootstrap it does not shrink to a point when every pair agrees. Null without pairs.
 */
export function pairedDifference({ both, onlyFirst, onlySecond, neither }: PairedCounts): Interval | null {
  const total = both + onlyFirst + onlySecond + neither;
  if (total === 0) return null;
  const margins = (both + onlyFirst) * (onlySecond + neither) * (both + onlySecond) * (onlyFirst + neither);
  const product = both * neither - onlyFirst * onlySecond;
  const corrected = product > 0 ? Math.max(product - total / 2, 0) : product;
  const correlation = margins === 0 ? 0 : corrected / Math.sqrt(margins);
  return combine({ successes: both + onlyFirst, total }, { successes: both + onlySecond, total }, correlation);
}

interface Sample {
  readonly successes: number;
  readonly total: number;
}

function combine(first: Sample, second: Sample, correlation: number): Interval {
  const [p, q] = [first.successes / first.total, second.successes / second.total];
  const [a, b] = [shareInterval(first.successes, first.total), shareInterval(second.successes, second.total)];
  const spread = (x: number, y: number): number => Math.sqrt(Math.max(0, x * x - 2 * correlation * x * y + y * y));
  return { value: p - q, low: p - q - spread(p - a.low, b.high - q), high: p - q + spread(a.high - p, q - b.low) };
}

/** The 97.5 % quantiles of Student's t for 1 to 30 degrees of freedom. */
const student = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
] as const;

/** The mean with Student's 95 % interval. Null below two values, because one says nothing of how far they differ. */
export function meanInterval(values: readonly number[]): Interval | null {
  const count = values.length;
  if (count < 2) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
  const half = (student[count - 2] ?? z) * Math.sqrt(variance / count);
  return { value: mean, low: mean - half, high: mean + half };
}

/** What was found in one run of a task. */
interface OfTask<Value> {
  readonly task: string | number;
  readonly value: Value;
}

/**
 * How much each run counts. Repeats of a task are alike, and say little about other tasks: all runs of a task count as
 * one. Where there is only one task, each run counts, and an interval is about that task alone.
 */
function weightsOf(runs: readonly OfTask<unknown>[]): readonly number[] {
  const counts = new Map<string | number, number>();
  for (const { task } of runs) counts.set(task, (counts.get(task) ?? 0) + 1);
  return runs.map(({ task }) => (counts.size === 1 ? 1 : 1 / (counts.get(task) ?? 1)));
}

/** Not by `Map.groupBy`: older browsers show this page, too. */
function valuesByTask<Value>(runs: readonly OfTask<Value>[]): readonly (readonly Value[])[] {
  const groups = new Map<string | number, Value[]>();
  for (const { task, value } of runs) groups.set(task, [...(groups.get(task) ?? []), value]);
  return [...groups.values()];
}

/** The share of runs that have something, with its 95 % interval over tasks. */
export function shareOfTasks(runs: readonly OfTask<boolean>[]): Interval {
  const groups = valuesByTask(runs);
  return groupedShareInterval(groups.map((own) => ({ hits: own.filter(Boolean).length, count: own.length })));
}

/** The difference of two shares in runs of the same tasks, first minus second. Null without runs. */
export function differenceOfTasks(
  runs: readonly OfTask<{ readonly first: boolean; readonly second: boolean }>[],
): Interval | null {
  const count = { both: 0, onlyFirst: 0, onlySecond: 0, neither: 0 };
  for (const [at, weight] of weightsOf(runs).entries()) {
    const { first = false, second = false } = runs[at]?.value ?? {};
    count[first ? (second ? 'both' : 'onlyFirst') : second ? 'onlySecond' : 'neither'] += weight;
  }
  return pairedDifference(count);
}

/** The mean with its 95 % interval over tasks. Null below two of what counts. */
export function meanOfTasks(runs: readonly OfTask<number>[]): Interval | null {
  const groups = valuesByTask(runs);
  const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  return meanInterval(groups.length === 1 ? (groups[0] ?? []) : groups.map(meanOf));
}
