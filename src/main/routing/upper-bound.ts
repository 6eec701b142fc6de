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
