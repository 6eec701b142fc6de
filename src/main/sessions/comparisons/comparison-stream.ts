import type { Comparison } from '@shared/comparisons/comparison.ts';
import type { CoreApi } from '../../server/core-api.ts';
import { createPushQueue, latestOf } from '../../lib/async/push-queue.ts';

/** A comparison as it is, then after each change, until nothing is carried out any more. Looking away stops nothing. */
export async function* comparisonStream(core: CoreApi, id: string, signal: AbortSignal): AsyncGenerator<Comparison> {
  const queue = createPushQueue<Comparison>(signal, Number.POSITIVE_INFINITY);
  const stop = await core.watchComparison(
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
