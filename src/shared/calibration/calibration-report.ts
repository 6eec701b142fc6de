import type { CalibrationRun, CalibrationView } from './calibration.ts';
import { shareInterval } from '@shared/comparisons/intervals.ts';
import { taskKinds, taskSizes } from './task-kinds.ts';
import type { MonthCosts, MonthWay } from '@shared/money/month-costs.ts';

/** A rate with the interval in which the true one lies with 95 %. */
export interface Rate {
  readonly solved: number;
  readonly judged: number;
  readonly low: number;
  readonly high: number;
}

/** All tasks, those of a kind, or those of a size. */
type TaskGroup = 'all' | (typeof taskKinds)[number] | (typeof taskSizes)[number];

/** What a model solved of some tasks. */
export interface SolvedRow extends Rate {
  readonly model: string;
  readonly where: 'local' | 'cloud';
  readonly of: TaskGroup;
  /** Ended, but nothing could judge them. They count neither as solved nor as failed. */
  readonly unjudged: number;
  /** Null: nothing has ended. */
  readonly medianSeconds: number | null;
  /** Null: one price is unknown, or nothing has ended. */
  readonly usd: number | null;
}

/** For each model one row for all tasks, one for each kind and one for each size that there are. */
export function solvedRows({ tasks, runs }: Pick<CalibrationView, 'tasks' | 'runs'>): readonly SolvedRow[] {
  const taskOf = new Map(tasks.map((task) => [task.id, task]));
  const models = [...new Map(runs.map(({ model, where }) => [`${where} ${model}`, { model, where }])).values()];
  return models.flatMap(({ model, where }) => {
    const own = runs.filter((run) => run.model === model && run.where === where);
    const groups = [
      { of: 'all' as const, runs: own },
      ...taskKinds.map((kind) => ({ of: kind, runs: own.filter(({ taskId }) => taskOf.get(taskId)?.kind === kind) })),
      ...taskSizes.map((size) => ({ of: size, runs: own.filter(({ taskId }) => taskOf.get(taskId)?.size === size) })),
    ];
    return groups
      .filter((group) => group.of === 'all' || group.runs.length > 0)
      .map((group) => rowOf({ model, where, of: group.of }, group.runs));
  });
}

function rowOf(named: Pick<SolvedRow, 'model' | 'where' | 'of'>, runs: readonly CalibrationRun[]): SolvedRow {
  const ended = runs.filter(({ state }) => state === 'ended');
  const judged = ended.filter(({ solved }) => solved !== null);
  const solved = judged.filter((run) => run.solved === true).length;
  const { low, high } = shareInterval(solved, judged.length);
  const seconds = ended
    .flatMap((run) => (run.seconds === null ? [] : [run.seconds]))
    .sort((left, right) => left - right);
  const middle = seconds.length / 2;
  const median = ((seconds[Math.ceil(middle) - 1] ?? 0) + (seconds[Math.floor(middle)] ?? 0)) / 2;
  const isPriced = ended.length > 0 && ended.every(({ costUsd }) => costUsd !== null);
  return {
    ...named,
    solved,
    judged: judged.length,
    low,
    high,
    unjudged: ended.length - judged.length,
    medianSeconds: seconds.length === 0 ? null : median,
    usd: isPriced ? ended.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0) : null,
  };
}

/** What a month of the work in the logs would cost, for the local model that surely solves most. */
export interface MonthReport {
  readonly local: MonthWay;
  readonly hybrid: MonthWay;
  readonly cloud: MonthWay;
}

/**
 * Hybrid: all of the work here first, and in the cloud what the model does not solve here. The shares are those of the
 * tasks of the repository, so this holds as far as one's work is like them.
 */
export function monthReport(costs: Pick<MonthCosts, 'allLocal' | 'allCloud'>, rows: readonly SolvedRow[]): MonthReport {
  const { allLocal: local, allCloud: cloud } = costs;
  const best = rows
    .filter(({ where, of, judged }) => where === 'local' && of === 'all' && judged > 0)
    // By what is sure: one task of one must not count more than 20 of 24.
    .toSorted((left, right) => right.low - left.low)[0];
  if (best === undefined) return { local, cloud, hybrid: { usd: null, why: 'no task was worked on here' } };
  if (local.usd === null) return { local, cloud, hybrid: local };
  if (cloud.usd === null) return { local, cloud, hybrid: cloud };
  const rest = 1 - best.solved / best.judged;
  return {
    local,
    cloud,
    hybrid: {
      usd: {
        value: local.usd.value + rest * cloud.usd.value,
        low: local.usd.low + (1 - best.high) * cloud.usd.low,
        high: local.usd.high + (1 - best.low) * cloud.usd.high,
      },
      why: local.why ?? cloud.why,
    },
  };
}
