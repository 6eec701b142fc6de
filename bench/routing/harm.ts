import { upperBound } from '../../src/main/routing/upper-bound.ts';
import { seeded } from '../lib/seeded.ts';
import type { RoutedSet } from './routed-set.ts';

export interface Coverage {
  /** The share of draws in which the true harm stayed within the limit. */
  readonly share: number;
  /** The share of tasks that were kept here, in the mean. */
  readonly kept: number;
}

/** A task with the score that it had before, and whether keeping it here was worse than the cloud would have been. */
interface JudgedTask {
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

/** Harm: kept here, failed, and the cloud passed. */
export function judgedOf({ outcomes, scores }: RoutedSet): readonly JudgedTask[] {
  return outcomes.map(({ weak, strong }, item) => ({
    score: scores[item] ?? 0,
    isHarm: weak < 0.5 && strong >= 0.5,
  }));
}

/** Thresholds are set on a drawn part of the tasks and judged on all of them, again and again. */
export function coverageOf(
  judged: readonly JudgedTask[],
  { limit, size, draws = 1000 }: { readonly limit: number; readonly size: number; readonly draws?: number },
): Coverage {
  const random = seeded(31);
  let [held, kept] = [0, 0];
  for (let draw = 0; draw < draws; draw += 1) {
    const sample = Array.from({ length: size }, () => judged[Math.floor(random() * judged.length)]).flatMap((one) =>
      one === undefined ? [] : [one],
    );
    const threshold = keepBelow(sample, limit);
    const own = judged.filter(({ score }) => score < threshold);
    const harm = own.filter(({ isHarm }) => isHarm).length / judged.length;
    if (harm <= limit) held += 1;
    kept += own.length / judged.length;
  }
  return { share: held / draws, kept: kept / draws };
}
