import { createPushQueue, latestOf } from './push-queue.ts';

/**
 * Something that takes its time, as a stream of its progress: ends when it has ended, throws what went wrong, stops it
 * on abort and when nobody reads on. Progress that nobody had time for is passed over, but never the last.
 */
export async function* progressStream<T>(
  start: (onProgress: (progress: T) => void, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const stop = new AbortController();
  const queue = createPushQueue<T>(signal, Number.POSITIVE_INFINITY);
  const abort = (): void => stop.abort();
  signal.addEventListener('abort', abort, { once: true });
  const working = start((progress) => void queue.push(progress), stop.signal).then(
    () => queue.end(),
    (error: unknown) => queue.end(error),
  );
  try {
    yield* latestOf(queue);
  } finally {
    signal.removeEventListener('abort', abort);
    stop.abort();
    await working;
  }
}
