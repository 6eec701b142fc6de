import { pairedDifference, shareInterval } from '@shared/comparisons/intervals.ts';
import type { Interval } from '@shared/money/counterfactual.ts';
import type { TaskRecord } from './results.ts';
import type { BenchRow } from './rows.ts';
import { shortModel } from './summary.ts';
import type { TaskOptions } from './task-options.ts';

interface Pair {
  readonly whole: TaskRecord;
  readonly part: TaskRecord;
}

/** What the parts of `--without` are worth: every task with both, and whether a model was asked anything else. */
export function pairRows(
  records: readonly TaskRecord[],
  { without }: Pick<TaskOptions, 'without'>,
): readonly BenchRow[] {
  const sides = new Set(records.map(({ model, strategy }) => `${shortModel(model)} ${strategy}`));
  const parts = without.join(' and ');
  return [...sides].flatMap((side) => {
    const pairs = pairsOf(records.filter(({ model, strategy }) => `${shortModel(model)} ${strategy}` === side));
    return [...solvedRows(side, pairs, parts), ...requestRows(side, pairs)];
  });
}

/** A task that could not be tried in one of the two ways is in no pair. */
function pairsOf(records: readonly TaskRecord[]): readonly Pair[] {
  const isPart = ({ switches }: TaskRecord): boolean => /(?:^|, )without /u.test(switches);
  const tried = records.filter(({ fault }) => fault === null);
  const parts = new Map(tried.filter(isPart).map((record) => [record.task, record]));
  return tried.flatMap((whole) => {
    const part = isPart(whole) ? undefined : parts.get(whole.task);
    return part === undefined ? [] : [{ whole, part }];
  });
}

function solvedRows(side: string, pairs: readonly Pair[], parts: string): readonly BenchRow[] {
  const count = (isWhole: boolean, isPart: boolean): number =>
    pairs.filter(({ whole, part }) => whole.solved === isWhole && part.solved === isPart).length;
  const counts = {
    both: count(true, true),
    onlyFirst: count(true, false),
    onlySecond: count(false, true),
    neither: count(false, false),
  };
  const difference = pairedDifference(counts);
  const solved = (own: number): Pick<BenchRow, 'value' | 'note'> => ({
    value: own,
    note: `of ${pairs.length}, 95 % interval ${shares(shareInterval(own, pairs.length))} %`,
  });
  return [
    { figure: `${side}: solved with ${parts}`, unit: '', target: null, ...solved(counts.both + counts.onlyFirst) },
    { figure: `${side}: solved without them`, unit: '', target: null, ...solved(counts.both + counts.onlySecond) },
    {
      figure: `${side}: points that they add`,
      value: difference === null ? null : 100 * difference.value,
      unit: 'points',
      target: null,
      note:
        difference === null
          ? 'no pair'
          : `${pairs.length} pairs, 95 % interval ${shares(difference)} points (Newcombe, paired); only with ${counts.onlyFirst}, only without ${counts.onlySecond}`,
    },
  ];
}

function requestRows(side: string, pairs: readonly Pair[]): readonly BenchRow[] {
  const known = pairs.flatMap(({ whole, part }) =>
    whole.asked === undefined || part.asked === undefined ? [] : [{ one: whole.asked, other: part.asked }],
  );
  if (known.length === 0) return [];
  const others = known.filter(({ one, other }) => {
    const both = Math.min(one.length, other.length);
    return one.slice(0, both).join() !== other.slice(0, both).join();
  });
  const longer = known.filter((pair) => !others.includes(pair) && pair.one.length !== pair.other.length);
  return [
    {
      figure: `${side}: tasks in which a model was asked something else`,
      value: others.length,
      unit: '',
      target: null,
      note: `of ${known.length}; in ${longer.length} more, it was asked more often in one of the two`,
    },
  ];
}

function shares({ low, high }: Interval): string {
  return `${Math.round(100 * low)} to ${Math.round(100 * high)}`;
}
