import { type JudgedTask, keepBelow } from '../../src/main/routing/record/bound-harm.ts';
import { seeded } from '../lib/seeded.ts';
import type { RoutedSet } from './routed-set.ts';

export interface Coverage {
  /** The share of draws in which the true harm stayed within the limit. */
  readonly share: number;
  /** The share of tasks that were kept here, in the mean. */
  readonly kept: number;
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
