import type { Comparison } from '@shared/comparisons/comparison.ts';
import { AppError } from '@shared/errors.ts';
import { isSamePair, pairsToJudge } from '@shared/comparisons/pair-verdicts.ts';
import { neverAborts } from '../../lib/async/abort.ts';
import { createPushQueue, latestOf } from '../../lib/async/push-queue.ts';
import type { Handlers } from '../../server/handlers.ts';
import type { ComparisonRunner } from './run-comparisons.ts';
import { readTasks } from './tasks/read-tasks.ts';

/** Handlers for comparisons: several ways do the same tasks. */
export function createComparisonCommands(comparisons: ComparisonRunner, home: string): Handlers['comparisons'] {
  return {
    create: async ({ input, signal }) => ({ id: await comparisons.create(input, signal) }),
    start: ({ input }) => comparisons.start(input.id, input.maxUsd),
    watch: ({ input, signal }) => comparisonStream(comparisons, input.id, signal),
    cancel: ({ input }) => comparisons.cancel(input.id),
    judge: async ({ input: { id, pair, verdict } }) => {
      const isThere = pairsToJudge(await comparisons.show(id)).some((one) => isSamePair(one, pair));
      if (!isThere) throw new AppError('not-found', 'The comparison has no such pair of ended runs.');
      await comparisons.judge(id, { ...pair, by: 'you', verdict, why: '', costUsd: 0 });
      return comparisons.show(id);
    },
    show: ({ input }) => comparisons.show(input.id),
    list: () => comparisons.list(),
    tasks: ({ input: { path, repos }, signal }) => readTasks(path, { home, repos, signal: signal ?? neverAborts }),
  };
}

/** The comparison now and after each change, until it no longer runs. Ending the stream stops nothing. */
async function* comparisonStream(
  { watch }: Pick<ComparisonRunner, 'watch'>,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<Comparison> {
  const queue = createPushQueue<Comparison>(signal, Number.POSITIVE_INFINITY);
  const stop = await watch(
    id,
    (comparison) => void queue.push(comparison),
    (error) => queue.end(error),
  );
  try {
    yield* latestOf(queue);
  } finally {
    stop();
    queue.end();
  }
}
