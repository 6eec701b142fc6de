import type { TaskNeed, TaskShape } from '@shared/money/task-needs.ts';
import { neededBy } from '@shared/money/task-needs.ts';
import { promptTokensOf } from '@shared/money/token-cost.ts';
import type { Held, Pair } from './pair-figures.ts';
import type { PairRecord } from './pair-results.ts';

/**
 * Estimates what a model needs for each task from its runs of all other tasks, and compares that with its real run. The
 * size of the task comes from the run in the other place. Nothing else of that run is used.
 */
export function needsHeldOf(pairs: readonly Pair[]): {
  readonly cloudUsd: readonly Held[];
  readonly cloudSeconds: readonly Held[];
  readonly localSeconds: readonly Held[];
} {
  const held = (from: 'local' | 'cloud', to: 'local' | 'cloud', of: (run: PairRecord) => number): readonly Held[] =>
    pairs.flatMap((pair) => {
      const asked = shapeOf(pair[from]);
      const record = pairs.filter((other) => other !== pair).flatMap((other) => needOf(other[to], of));
      const said = asked === null ? null : neededBy(record)(asked);
      const real = of(pair[to]);
      return said === null || real === 0 ? [] : [{ task: pair.task, ...said, real }];
    });
  return {
    cloudUsd: held('local', 'cloud', ({ costUsd }) => costUsd),
    cloudSeconds: held('local', 'cloud', modelSeconds),
    localSeconds: held('cloud', 'local', modelSeconds),
  };
}

function needOf(run: PairRecord, of: (run: PairRecord) => number): readonly TaskNeed[] {
  const shape = shapeOf(run);
  return shape === null ? [] : [{ ...shape, value: of(run) }];
}

/** Null: no model was called. */
function shapeOf({ kind, calls }: PairRecord): TaskShape | null {
  const [first] = calls;
  if (first === undefined) return null;
  const isQuestion = kind === 'question';
  return {
    kind: isQuestion ? 'question' : 'repair',
    way: isQuestion ? 'answer' : 'fix-failing-tests',
    size: promptTokensOf(first.end.usage),
  };
}

function modelSeconds({ calls }: PairRecord): number {
  return calls.reduce((sum, { end: { timings } }) => sum + timings.totalMs - timings.queuedMs, 0) / 1000;
}
