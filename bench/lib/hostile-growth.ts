import { resolve } from 'node:path';
import type { BenchRow } from './rows.ts';

/** As `pattern-growth.ts` has it. */
interface PatternGrowth {
  measurePatterns(root: string): readonly {
    readonly pattern: { readonly source: string };
    readonly growth: { readonly growth: number } | null;
  }[];
}

const measures = import.meta.glob<PatternGrowth>('./pattern-growth.ts');

/** How much more a byte costs in a text of up to 1 MB than in one of 10 KB, of every pattern over what others wrote. */
export async function measureForeignPatterns(): Promise<readonly BenchRow[]> {
  const figure = 'growth of cost per byte, 10 KB to 1 MB, worst pattern';
  const [load] = Object.values(measures);
  if (load === undefined)
    return [{ figure, value: null, unit: '', target: { atMost: 3 }, note: 'nothing measures patterns yet' }];
  const measured = (await load()).measurePatterns(resolve('.'));
  const [worst] = [...measured].sort((left, right) => growthOf(right) - growthOf(left));
  return [
    {
      figure,
      value: worst === undefined ? null : growthOf(worst),
      unit: '',
      target: { atMost: 3 },
      note: `${measured.length} patterns; worst: ${worst?.pattern.source.slice(0, 60) ?? 'none'}`,
    },
  ];
}

/** What took no time at all did not grow. */
function growthOf({ growth }: { readonly growth: { readonly growth: number } | null }): number {
  return growth?.growth ?? 1;
}
