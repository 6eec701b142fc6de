import type { PullProgress } from '@shared/contract.ts';
import type { CoreApi } from './core-api.ts';
import { createPushQueue } from './push-queue.ts';

/** A download as a stream of its progress; ends when the model is there, throws what went wrong, stops on abort. */
export async function* pullStream(core: CoreApi, id: string, signal: AbortSignal): AsyncGenerator<PullProgress> {
  const stop = new AbortController();
  const queue = createPushQueue<PullProgress>(signal, Number.POSITIVE_INFINITY);
  const abort = (): void => stop.abort();
  signal.addEventListener('abort', abort, { once: true });
  const pulling = core
    .pullModel(id, (progress) => void queue.push(progress), stop.signal)
    .then(
      () => queue.end(),
      (error: unknown) => queue.end(error),
    );
  try {
    for (let progress = await queue.take(); progress !== null; progress = await queue.take()) {
      const latest = progress.at(-1);
      if (latest !== undefined) yield latest;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    stop.abort();
    await pulling;
  }
}
