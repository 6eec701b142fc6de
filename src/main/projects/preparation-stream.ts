import type { PrepareProgress } from '@shared/projects/project-preparation.ts';
import type { CoreApi } from '../server/core-api.ts';
import { createPushQueue } from '../lib/async/push-queue.ts';

/** An installation as a stream of what is run; its last word is how it stands. Throws what went wrong, stops on abort. */
export async function* prepareStream(
  core: CoreApi,
  input: Parameters<CoreApi['prepareProject']>[0],
  signal: AbortSignal,
): AsyncGenerator<PrepareProgress> {
  const stop = new AbortController();
  const queue = createPushQueue<PrepareProgress>(signal, Number.POSITIVE_INFINITY);
  const abort = (): void => stop.abort();
  signal.addEventListener('abort', abort, { once: true });
  const preparing = core
    .prepareProject(input, (text) => void queue.push({ type: 'text', text }), stop.signal)
    .then(
      (plan) => {
        void queue.push({ type: 'ended', plan });
        queue.end();
      },
      (error: unknown) => queue.end(error),
    );
  try {
    for (let items = await queue.take(); items !== null; items = await queue.take()) yield* items;
  } finally {
    signal.removeEventListener('abort', abort);
    stop.abort();
    await preparing;
  }
}
