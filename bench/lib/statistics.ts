import { shareInterval } from '@shared/comparisons/asked-again.ts';

/** A 95 % interval of a share, or of a difference of shares. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

export interface Difference extends Interval {
  /** First minus second. */
  readonly value: number;
}

/** How two ways did on the same tasks. */
export interface PairedCounts {
  readonly both: number;
  readonly onlyFirst: number;
  readonly onlySecond: number;
  readonly neither: number;
}

/**
 * The difference of two shares of independent samples: method 10 of R. G. Newcombe, "Interval estimation for the
 * difference between independent proportions", Statistics in Medicine 17 (1998), 873-890. Null when a sample is empty.
 */
export function unpairedDifference(
  first: { readonly successes: number; readonly total: number },
  second: { readonly successes: number; readonly total: number },
): Difference | null {
  if (first.total === 0 || second.total === 0) return null;
  return combine(first, second, 0);
}

/**
 * The difference of two shares on the same tasks: method 10 of R. G. Newcombe, "Improved confidence intervals for the
 * difference between binomial proportions based on paired data", Statistics in Medicine 17 (1998), 2635-2650. Unlike a
 * bootstrap it does not shrink to a point when every pair agrees. Null without pairs.
 */
export function pairedDifference({ both, onlyFirst, onlySecond, neither }: PairedCounts): Difference | null {
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

function combine(first: Sample, second: Sample, correlation: number): Difference {
  const [p, q] = [first.successes / first.total, second.successes / second.total];
  const [a, b] = [shareInterval(first.successes, first.total), shareInterval(second.successes, second.total)];
  const spread = (x: number, y: number): number => Math.sqrt(Math.max(0, x * x - 2 * correlation * x * y + y * y));
  return { value: p - q, low: p - q - spread(p - a.low, b.high - q), high: p - q + spread(a.high - p, q - b.low) };
}

/** The middle value, or the mean of the two middle values. Null without values. */
export function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

/** By nearest rank, so the result is a measured value. `share` is between 0 and 1. Null without values. */
export function percentile(values: readonly number[], share: number): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}

/** Null without values. */
export function largest(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.max(...values);
}
