import { pairedDifference, shareInterval, unpairedDifference } from '@shared/comparisons/intervals.ts';
import type { Interval } from '@shared/money/counterfactual.ts';
import { countPairs } from './paired-rows.ts';
import { formatNumber } from './table.ts';
import type { BenchRow, Target } from './rows.ts';
import { isFalseAccept, type TaskRecord } from './results.ts';
import { largest, median } from './statistics.ts';
import { allKinds, isPlainRun, starterModel, type TaskOptions } from './task-options.ts';

type Strategy = TaskRecord['strategy'];
type Kind = TaskRecord['kind'] | 'all';

/** The results of the tasks of one kind, with one model and strategy. */
export interface Summary {
  readonly model: string;
  readonly strategy: Strategy;
  readonly kind: Kind;
  readonly total: number;
  readonly solved: number;
  readonly interval: Interval;
  /** Over the solved tasks, in seconds. */
  readonly medianSeconds: number | null;
  readonly longestSeconds: number | null;
  /** Means over all tasks. */
  readonly steps: number;
  readonly actions: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly guarded: number;
  readonly worse: number;
  readonly accepted: number;
  readonly falseAccepts: number;
  /** Accepted changes that passed the visible tests and were not marked "weak tests". */
  readonly acceptedFirmly: number;
  readonly falseFirmly: number;
  /** Accepted changes that no visible test could judge, and that were marked so. */
  readonly unchecked: number;
  readonly falseUnchecked: number;
  /** Tasks that were given up or ended at a limit, and their median time. */
  readonly givenUp: number;
  readonly giveUpSeconds: number | null;
  readonly faults: number;
}

/** One summary for each model, strategy and kind with records. If there are several kinds, also one of all kinds. */
export function summarize(records: readonly TaskRecord[]): readonly Summary[] {
  const sides = distinct(records.map(({ model, strategy }) => JSON.stringify([model, strategy])));
  return sides.flatMap((side) => {
    const own = records.filter(({ model, strategy }) => JSON.stringify([model, strategy]) === side);
    const kinds = allKinds.filter((kind) => own.some((record) => record.kind === kind));
    const each = kinds.map((kind) =>
      summarizeKind(
        kind,
        own.filter((record) => record.kind === kind),
      ),
    );
    return kinds.length > 1 ? [...each, summarizeKind('all', own)] : each;
  });
}

function summarizeKind(kind: Kind, records: readonly TaskRecord[]): Summary {
  const solved = records.filter((record) => record.solved);
  const accepted = records.filter((record) => record.accepted);
  const isUnchecked = ({ confidence }: TaskRecord): boolean => confidence === 'unchecked' || confidence === 'proposed';
  const unchecked = accepted.filter(isUnchecked);
  const firmly = accepted.filter((record) => record.confidence !== 'weak-tests' && !isUnchecked(record));
  const unsolved = records.filter(({ status }) => status === 'gave-up' || status === 'limit');
  const seconds = solved.map((record) => record.seconds);
  const mean = (figure: (record: TaskRecord) => number): number =>
    records.reduce((sum, record) => sum + figure(record), 0) / Math.max(1, records.length);
  return {
    model: records[0]?.model ?? '',
    strategy: records[0]?.strategy ?? 'recipe',
    kind,
    total: records.length,
    solved: solved.length,
    interval: shareInterval(solved.length, records.length),
    medianSeconds: median(seconds),
    longestSeconds: largest(seconds),
    steps: mean((record) => record.steps),
    actions: mean((record) => record.actions),
    inputTokens: mean(({ tokens }) => tokens.freshInput + tokens.cacheRead + tokens.cacheWrite),
    outputTokens: mean(({ tokens }) => tokens.output),
    guarded: records.filter((record) => record.guarded.length > 0).length,
    worse: records.filter((record) => record.worse.length > 0).length,
    accepted: accepted.length,
    falseAccepts: accepted.filter(isFalseAccept).length,
    acceptedFirmly: firmly.length,
    falseFirmly: firmly.filter(isFalseAccept).length,
    unchecked: unchecked.length,
    falseUnchecked: unchecked.filter(isFalseAccept).length,
    givenUp: unsolved.length,
    giveUpSeconds: median(unsolved.map((record) => record.seconds)),
    faults: records.filter((record) => record.fault !== null).length,
  };
}

export function summaryCells(summaries: readonly Summary[]): readonly (readonly string[])[] {
  const head = [
    'model',
    'strategy',
    'kind',
    'solved',
    '95 %',
    'median s',
    'longest s',
    'steps',
    'actions',
    'tokens in',
    'out',
  ];
  const end = ['guarded', 'worse', 'false accepts', 'not weak', 'unchecked', 'not tried'];
  return [
    [...head, ...end],
    ...summaries.map((one) => [
      shortModel(one.model),
      one.strategy,
      one.kind,
      `${one.solved}/${one.total}`,
      percentRange(one.interval),
      ...[one.medianSeconds, one.longestSeconds].map((value) => (value === null ? '-' : formatNumber(value))),
      ...[one.steps, one.actions].map((value) => value.toFixed(1)),
      ...[one.inputTokens, one.outputTokens].map((value) => value.toFixed(0)),
      String(one.guarded),
      String(one.worse),
      `${one.falseAccepts}/${one.accepted}`,
      `${one.falseFirmly}/${one.acceptedFirmly}`,
      `${one.falseUnchecked}/${one.unchecked}`,
      String(one.faults),
    ]),
  ];
}

/** How many of the solved tasks each part of the recipe found: one row a part, with the names of the tasks. */
export function armCells(records: readonly TaskRecord[]): readonly (readonly string[])[] {
  const done = records.filter((record) => record.status === 'done' && record.arm !== null);
  const arms = distinct(done.map((record) => `${record.strategy} ${record.arm ?? ''}`)).sort();
  return [
    ['found by', 'accepted', 'right', 'tasks (wrong ones marked !)'],
    ...arms.map((arm) => {
      const own = done.filter((record) => `${record.strategy} ${record.arm ?? ''}` === arm);
      const names = own.map((record) => `${record.solved ? '' : '!'}${record.task}`);
      return [arm, String(own.length), String(own.filter((record) => record.solved).length), names.join(' ')];
    }),
  ];
}

export interface Comparison extends Interval {
  readonly kind: Kind;
  readonly model: string;
  readonly first: Strategy;
  readonly second: Strategy;
  readonly method: string;
}

/** Compares recipe and loop with the same model, kind by kind. Empty if every model ran with one strategy only. */
export function compareStrategies(records: readonly TaskRecord[]): readonly Comparison[] {
  const [first, second] = ['recipe', 'loop'] as const;
  return distinct(records.map((record) => record.model)).flatMap((model) => {
    const kinds = [...allKinds, 'all'] as const;
    return kinds.flatMap((kind) => {
      const own = records.filter((record) => record.model === model && (kind === 'all' || record.kind === kind));
      const [left, right] = [first, second].map((strategy) => own.filter((record) => record.strategy === strategy));
      const found = left === undefined || right === undefined ? null : compare(left, right);
      return found === null ? [] : [{ ...found, kind, model, first, second }];
    });
  });
}

function compare(
  first: readonly TaskRecord[],
  second: readonly TaskRecord[],
): (Interval & { readonly method: string }) | null {
  const other = new Map(second.map((record) => [record.task, record.solved]));
  const isPaired = first.length === second.length && first.every((record) => other.has(record.task));
  if (!isPaired) {
    const count = (all: readonly TaskRecord[]) => ({
      successes: all.filter((one) => one.solved).length,
      total: all.length,
    });
    const difference = unpairedDifference(count(first), count(second));
    return difference === null ? null : { ...difference, method: 'Newcombe, unpaired' };
  }
  const pairs = first.map(({ task, solved }) => ({ first: solved, second: other.get(task) === true }));
  const difference = pairedDifference(countPairs(pairs));
  return difference === null ? null : { ...difference, method: 'Newcombe, paired' };
}

export function comparisonCells(comparisons: readonly Comparison[]): readonly (readonly string[])[] {
  return [
    ['model', 'kind', 'difference in points', '95 %', 'method'],
    ...comparisons.map((one) => [
      shortModel(one.model),
      `${one.kind}: ${one.first} - ${one.second}`,
      points(one.value),
      `${points(one.low)} to ${points(one.high)}`,
      one.method,
    ]),
  ];
}

/** The difference of the strategies as figures without a target. */
export function comparisonRows(records: readonly TaskRecord[]): readonly BenchRow[] {
  return compareStrategies(records).map((one) => ({
    figure: `${shortModel(one.model)}, ${one.kind}: solved by ${one.first} less by ${one.second}`,
    value: 100 * one.value,
    unit: 'points',
    target: null,
    note: `95 % interval ${points(one.low)} to ${points(one.high)} (${one.method})`,
  }));
}

/**
 * The figures of the tasks. Targets apply only to what users get first: the starter model with the recipe strategy, on
 * the whole measured half, with nothing switched off. All other figures are only published.
 */
export function taskRows(records: readonly TaskRecord[], options: TaskOptions): readonly BenchRow[] {
  const isMeasured = isPlainRun(options) && options.split === 'held';
  return summarize(records).flatMap((one) => {
    const isJudged = isMeasured && one.model === starterModel && one.strategy === 'recipe';
    const target = (wanted: Target | null): Target | null => (isJudged ? wanted : null);
    const isSole = new Set(records.map((record) => record.kind)).size === 1;
    return [...solvedRows(one, target), ...(one.kind === 'all' || isSole ? careRows(one, target) : [])];
  });
}

type Judge = (wanted: Target | null) => Target | null;

const leastSolved: Readonly<Record<Kind, Target | null>> = {
  small: { atLeast: 80 },
  'two-file': { atLeast: 50 },
  planted: null,
  question: null,
  all: null,
};

function solvedRows(one: Summary, target: Judge): readonly BenchRow[] {
  const name = `${shortModel(one.model)} ${one.strategy}, ${one.kind}`;
  const note = `${one.solved} of ${one.total}, 95 % interval ${percentRange(one.interval)}`;
  const share = one.total === 0 ? null : (100 * one.solved) / one.total;
  const isSmall = one.kind === 'small';
  return [
    { figure: `${name}: solved`, value: share, unit: '%', target: target(leastSolved[one.kind]), note },
    ...timeRow(`${name}: median time of a solved task`, one.medianSeconds, isSmall ? target({ atMost: 60 }) : null),
    ...timeRow(`${name}: longest time of a solved task`, one.longestSeconds, target({ atMost: 300 })),
    ...timeRow(
      `${name}: median time of ${one.givenUp} tasks that were given up`,
      one.giveUpSeconds,
      target({ atMost: 120 }),
    ),
  ];
}

// If nothing was solved, there is no time to judge. The row above already says so.
function timeRow(figure: string, value: number | null, target: Target | null): readonly BenchRow[] {
  return value === null ? [] : [{ figure, value, unit: 's', target }];
}

function careRows(one: Summary, target: Judge): readonly BenchRow[] {
  const name = `${shortModel(one.model)} ${one.strategy}`;
  const share = (wrong: number, of: number): number => (of === 0 ? 0 : (100 * wrong) / of);
  return [
    { figure: `${name}: guarded files changed`, value: one.guarded, unit: '', target: target({ atMost: 0 }) },
    { figure: `${name}: workspace left worse`, value: one.worse, unit: '', target: target({ atMost: 0 }) },
    {
      figure: `${name}: false accepts, not marked weak tests`,
      value: share(one.falseFirmly, one.acceptedFirmly),
      unit: '%',
      target: target({ atMost: 10 }),
      note: `${one.falseFirmly} of ${one.acceptedFirmly}, 95 % interval ${percentRange(shareInterval(one.falseFirmly, one.acceptedFirmly))}`,
    },
    {
      figure: `${name}: wrong among changes that no test could judge (and that say so)`,
      value: share(one.falseUnchecked, one.unchecked),
      unit: '%',
      target: null,
      note: `${one.falseUnchecked} of ${one.unchecked}`,
    },
    {
      figure: `${name}: false accepts, all`,
      value: share(one.falseAccepts, one.accepted),
      unit: '%',
      target: null,
      note: `${one.falseAccepts} of ${one.accepted}`,
    },
    ...(one.faults === 0
      ? []
      : [{ figure: `${name}: could not be tried`, value: one.faults, unit: '', target: target({ atMost: 0 }) }]),
  ];
}

export function shortModel(model: string): string {
  return model.replace(/^llama-cpp\//u, '').replace(/-instruct$/u, '');
}

function percentRange({ low, high }: Interval): string {
  return `${Math.round(100 * low)} to ${Math.round(100 * high)}`;
}

function points(share: number): string {
  const rounded = Math.round(100 * share);
  return rounded > 0 ? `+${rounded}` : String(rounded);
}

function distinct<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)];
}
