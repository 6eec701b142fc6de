/** How sure a bound is. */
const SURE = 0.95;

/**
 * The highest rate that so many events in so many tasks still allow, at 95 % (Clopper and Pearson, one-sided). 1 without
 * tasks: nothing is known.
 */
export function upperBound(events: number, tasks: number): number {
  if (tasks <= 0 || events >= tasks) return 1;
  let [low, high] = [events / tasks, 1];
  for (let round = 0; round < 40; round += 1) {
    const middle = (low + high) / 2;
    if (chanceOfAtMost(events, tasks, middle) > 1 - SURE) low = middle;
    else high = middle;
  }
  return high;
}

/** The chance of at most so many events, if each task has one at this rate. */
function chanceOfAtMost(events: number, tasks: number, rate: number): number {
  let log = tasks * Math.log(1 - rate);
  let sum = Math.exp(log);
  for (let count = 1; count <= events; count += 1) {
    log += Math.log((tasks - count + 1) / count) + Math.log(rate / (1 - rate));
    sum += Math.exp(log);
  }
  return sum;
}

/** A task with the score that it had before, and whether keeping it here was worse than the cloud would have been. */
export interface JudgedTask {
  /** The expected gain of the cloud. Tasks below the threshold are kept here. */
  readonly score: number;
  readonly isHarm: boolean;
}

/**
 * The highest threshold under which tasks may be kept here, so that the bound of the harm stays within the limit.
 * Thresholds are tried from the most careful one up, and the first that fails ends it, so trying many costs nothing.
 * -Infinity: nothing may be kept.
 */
export function keepBelow(judged: readonly JudgedTask[], limit: number, steps = 40): number {
  const order = [...judged].sort((left, right) => left.score - right.score);
  let harms = 0;
  let place = 0;
  let threshold = Number.NEGATIVE_INFINITY;
  for (let step = 1; step <= steps; step += 1) {
    const end = Math.round((step * order.length) / steps);
    for (; place < end; place += 1) harms += order[place]?.isHarm === true ? 1 : 0;
    if (upperBound(harms, order.length) > limit) return threshold;
    threshold = order[end]?.score ?? Number.POSITIVE_INFINITY;
  }
  return threshold;
}
