import { resolve } from 'node:path';
import { mostGrowth } from './growth.ts';
import { measurePatterns, measureScanners, type GrowthRow } from './pattern-growth.ts';
import type { BenchRow } from './rows.ts';

/** For everything that reads foreign text: how much more a byte costs in a text of up to 1 MB than in one of 10 KB. */
export async function measureForeignPatterns(): Promise<readonly BenchRow[]> {
  const root = resolve('.');
  return [worstOf('patterns', measurePatterns(root)), worstOf('functions', await measureScanners(root))];
}

function worstOf(what: string, measured: readonly GrowthRow[]): BenchRow {
  const [worst] = [...measured].sort((left, right) => growthOf(right) - growthOf(left));
  return {
    figure: `growth of cost per byte, 10 KB to 1 MB, worst of ${what}`,
    value: worst === undefined ? null : growthOf(worst),
    unit: '',
    target: { atMost: mostGrowth },
    note: `${measured.length} looked at; worst: ${worst?.place ?? 'none'}`,
  };
}

/** Work that took no measurable time counts as not grown. */
function growthOf({ growth }: GrowthRow): number {
  return growth?.growth ?? 1;
}
