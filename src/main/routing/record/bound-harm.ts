import type { HarmView, TaskOutcome } from '@shared/routing/outcomes.ts';
import type { KeptHere } from '@shared/routing/routing.ts';
import { upperBound } from '../upper-bound.ts';
import { isSameVersion } from './count-outcomes.ts';

/** A task with the score that it had before, and whether keeping it here was worse than the cloud would have been. */
export interface JudgedTask {
  /** How likely it seemed to fail here. Tasks below the threshold are kept here. */
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

/** Tasks without a harm that it takes before the bound can reach the limit. */
export function leastTasks(limit: number): number {
  return limit <= 0 ? Number.POSITIVE_INFINITY : Math.ceil(Math.log(0.05) / Math.log(1 - Math.min(limit, 0.99)));
}

/** Older tasks say little about the work of today. */
const LONGEST_MS = 180 * 24 * 3600 * 1000;
const MOST = 400;

export interface HarmPlace {
  /** The model that begins. */
  readonly model: string;
  readonly version: string;
  /** Its key. Null: the whole home. */
  readonly project: string | null;
  readonly now: number;
  /** What the person allows, 0 to 1. */
  readonly limit: number;
}

/**
 * What the record of a model says about keeping work with it: the project alone if it has enough judged tasks, else the
 * whole home. Counted are tasks that it began. Harm is a task that failed here; where the cloud was not asked, it counts
 * as if the cloud had passed, so that the bound errs on the careful side.
 */
export function keptHere(outcomes: readonly TaskOutcome[], place: HarmPlace): KeptHere {
  const { model, version, project, now, limit } = place;
  const own = outcomes.filter(
    ({ first, solved, policy, by, at, weight }) =>
      first.model === model &&
      first.where === 'local' &&
      isSameVersion(first.version, version) &&
      solved !== null &&
      policy !== 'cloud' &&
      // Older counts are sums of tasks, and a bound needs single ones.
      by !== 'count' &&
      weight === undefined &&
      now - at < LONGEST_MS,
  );
  const least = leastTasks(limit);
  const here = own.filter((one) => one.project === project);
  const scope = here.length >= least ? 'project' : 'home';
  const judged = (scope === 'project' ? here : own).slice(-MOST).map(judgedOf);
  const harms = judged.filter(({ isHarm }) => isHarm).length;
  const upTo = judged.length < least ? Number.NEGATIVE_INFINITY : keepBelow(judged, limit);
  const kept = judged.filter(({ score }) => score < upTo).filter(({ isHarm }) => isHarm).length;
  return {
    model,
    limit,
    tasks: judged.length,
    harms,
    scope,
    // A threshold above all is written as 1: no chance is higher.
    upTo: upTo === Number.NEGATIVE_INFINITY ? null : Math.min(1, upTo),
    bound: upTo === Number.NEGATIVE_INFINITY ? null : upperBound(kept, judged.length),
    isTooMuch: judged.length > 0 && 1 - upperBound(judged.length - harms, judged.length) > limit,
  };
}

/** As people see it. */
export function harmView({ model, limit, tasks, harms, bound, scope }: KeptHere): HarmView {
  return { model, limit, tasks, harms, bound, scope, least: leastTasks(limit) };
}

/** Without votes before its start, a task is among the least sure ones. */
function judgedOf({ fails, solved, hasCloudTried }: TaskOutcome): JudgedTask {
  return { score: fails ?? 1, isHarm: solved === false && !hasCloudTried };
}
