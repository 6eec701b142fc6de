import { pairedRows } from './paired-rows.ts';
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
    const solved = pairs.map(({ whole, part }) => ({ first: whole.solved, second: part.solved }));
    const figures = {
      first: `${side}: solved with ${parts}`,
      second: `${side}: solved without them`,
      difference: `${side}: points that they add`,
    };
    return [...pairedRows(solved, figures), ...requestRows(side, pairs)];
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
