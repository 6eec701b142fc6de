/** The share of tasks to come that an interval is made to hold. */
export const coverage = 0.9;

/** What was said that something would come to, and what it came to. */
interface SaidAndReal {
  readonly value: number;
  readonly real: number;
}

/** Where the ratio of real to said lies for one more task. */
export interface FoundInterval {
  readonly low: number;
  readonly high: number;
  readonly tasks: number;
  /** So few that no quantile of them holds the coverage: it is as wide as a normal distribution of them would be, or as the widest. */
  readonly isWidened: boolean;
}

/**
 * Split conformal prediction (Papadopoulos and others 2002; Lei and others 2018, "Distribution-free predictive inference for
 * regression"): of n tasks the ⌈(n + 1) × coverage⌉-th smallest distance between what was said and what it came to holds for
 * one more such task with at least that probability, whatever the distances are distributed like. A distance is the
 * logarithm of the ratio without its sign. Nine tasks are the fewest that 90 % can be had of. Null: under three nobody can say.
 */
export function foundInterval(held: readonly SaidAndReal[]): FoundInterval | null {
  const distances = held
    .filter(({ real, value }) => real > 0 && value > 0)
    .map(({ real, value }) => Math.abs(Math.log(real / value)))
    .sort((left, right) => left - right);
  const tasks = distances.length;
  if (tasks < 3) return null;
  // (9 + 1) × 0.9 must not come out a hair above 9.
  const quantile = distances[Math.ceil(Number(((tasks + 1) * coverage).toFixed(9))) - 1];
  const half = quantile ?? Math.max(normalHalf(distances), ...distances);
  return { low: Math.exp(-half), high: Math.exp(half), tasks, isWidened: quantile === undefined };
}

/** Half of the prediction interval, were the logarithms normal around what was said. */
function normalHalf(distances: readonly number[]): number {
  const count = distances.length;
  const spread = Math.sqrt(distances.reduce((sum, one) => sum + one ** 2, 0) / count);
  return studentAt95(count) * spread * Math.sqrt(1 + 1 / count);
}

/** The 95th percentile of Student's distribution, to a percent (Cornish and Fisher). */
function studentAt95(freedom: number): number {
  const z = 1.6449;
  const first = (z ** 3 + z) / (4 * freedom);
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2);
  return z + first + second;
}
