import type { PairOptions } from './pair-options.ts';
import type { PairRecord } from './pair-results.ts';
import type { BenchRow } from './rows.ts';
import type { Task } from './tasks.ts';

export function pairReport(
  tasks: readonly Task[],
  done: ReadonlyMap<string, PairRecord>,
  options: PairOptions,
): { readonly text: string; readonly rows: readonly BenchRow[] } {
  return { text: `${tasks.length} ${done.size} ${options.seed}`, rows: [] };
}
