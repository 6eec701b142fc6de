/** The share of future tasks that an interval should contain. */
export const coverage = 0.9;

/** An estimate, and the real value. */
interface SaidAndReal {
  readonly value: number;
  readonly real: number;
}

/** The range of real divided by estimated for one more task. */
export interface FoundInterval {
  readonly low: number;
  readonly high: number;
  readonly tasks: number;
  /**
   * There are too few tasks for a quantile with this coverage. The interval is then as wide as a normal distribution of
   * the distances would make it, or as the largest distance.
   */
  readonly isWidened: boolean;
}

/**
 * Split conformal prediction (Papadopoulos and others 2002; Lei and others 2018, "Distribution-free predictive
 * inference for regression"). Of n tasks, the ⌈(n + 1) × coverage⌉-th smallest distance between estimate and real value
 * bounds one more such task with at least that probability, for any distribution of the distances. A distance is the
 * absolute logarithm of the ratio. 90 % takes at least nine tasks. Null under three tasks.
 */
export function foundInterval(held: readonly SaidAndReal[]): FoundInterval | null {
  const distances = held
    .filter(({ real, value }) => real > 0 && value > 0)
    .map(({ real, value }) => Math.abs(Math.log(real / value)))
    .sort((left, right) => left - right);
  const tasks = distances.length;
  if (tasks < 3) return null;
  // Rounded because (9 + 1) × 0.9 must not exceed 9 by a floating-point error.
  const quantile = distances[Math.ceil(Number(((tasks + 1) * coverage).toFixed(9))) - 1];
  const half = quantile ?? Math.max(normalHalf(distances), ...distances);
  return { low: Math.exp(-half), high: Math.exp(half), tasks, isWidened: quantile === undefined };
}

/** Half of the prediction interval if the logarithms were normally distributed around the estimate. */
function normalHalf(distances: readonly number[]): number {
  const count = distances.length;
  const spread = Math.sqrt(distances.reduce((sum, one) => sum + one ** 2, 0) / count);
  return spreadFactor(count) * spread * Math.sqrt(1 + 1 / count);
}

/** The 95th percentile of Student's t distribution, accurate to a percent (Cornish and Fisher). */
export function spreadFactor(freedom: number): number {
  const z = 1.6449;
  const first = (z ** 3 + z) / (4 * freedom);
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2);
  return z + first + second;
}
