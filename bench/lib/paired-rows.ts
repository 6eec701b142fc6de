import { pairedDifference, shareInterval, type PairedCounts } from '@shared/comparisons/intervals.ts';
import type { BenchRow } from './rows.ts';

/** Whether a task was solved in each of two ways. */
interface SolvedPair {
  readonly first: boolean;
  readonly second: boolean;
}

export function countPairs(pairs: readonly SolvedPair[]): PairedCounts {
  const counts = { both: 0, onlyFirst: 0, onlySecond: 0, neither: 0 };
  for (const { first, second } of pairs)
    counts[first ? (second ? 'both' : 'onlyFirst') : second ? 'onlySecond' : 'neither'] += 1;
  return counts;
}

/** What something is worth: the tasks solved with it, those solved without it, and the paired difference. */
export function pairedRows(
  pairs: readonly SolvedPair[],
  figures: { readonly first: string; readonly second: string; readonly difference: string },
): readonly BenchRow[] {
  const counts = countPairs(pairs);
  const { both, onlyFirst, onlySecond } = counts;
  const difference = pairedDifference(counts);
  const row = (figure: string, solved: number): BenchRow => ({
    figure,
    value: solved,
    unit: '',
    target: null,
    note: `of ${pairs.length}, 95 % interval ${inPoints(shareInterval(solved, pairs.length))} %`,
  });
  return [
    row(figures.first, both + onlyFirst),
    row(figures.second, both + onlySecond),
    {
      figure: figures.difference,
      value: difference === null ? null : 100 * difference.value,
      unit: 'points',
      target: null,
      note:
        difference === null
          ? 'no pair'
          : `${pairs.length} pairs, 95 % interval ${inPoints(difference)} points (Newcombe, paired); only with ${onlyFirst}, only without ${onlySecond}`,
    },
  ];
}

function inPoints({ low, high }: { readonly low: number; readonly high: number }): string {
  return `${Math.round(100 * low)} to ${Math.round(100 * high)}`;
}
