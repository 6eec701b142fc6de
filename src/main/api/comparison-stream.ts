import type { Comparison } from '@shared/comparison.ts';
import type { CoreApi } from './core-api.ts';
import { createPushQueue } from './push-queue.ts';

/** A comparison as it is, then after each change, until nothing is carried out any more. Looking away stops nothing. */
export async function* comparisonStream(core: CoreApi, id: string, signal: AbortSignal): AsyncGenerator<Comparison> {
  const queue = createPushQueue<Comparison>(signal, Number.POSITIVE_INFINITY);
  const stop = await core.watchComparison(
    id,
    (comparison) => void queue.push(comparison),
    (error) => queue.end(error),
  );
  try {
    for (let states = await queue.take(); states !== null; states = await queue.take()) {
      const latest = states.at(-1);
      if (latest !== undefined) yield latest;
    }
  } finally {
    stop();
    queue.end();
  }
}
