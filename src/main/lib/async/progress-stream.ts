import type { PushQueue } from './push-queue.ts';
import { createPushQueue, eachOf, latestOf } from './push-queue.ts';

type Work<T> = (push: (item: T) => void, signal: AbortSignal) => Promise<void>;

/** Work as a stream of its progress. Progress that nobody had time for is passed over, but never the last. */
export function progressStream<T>(start: Work<T>, signal: AbortSignal): AsyncGenerator<T> {
  return workStream(start, signal, latestOf);
}

/** Work as a stream of everything it says. */
export function wholeStream<T>(start: Work<T>, signal: AbortSignal): AsyncGenerator<T> {
  return workStream(start, signal, eachOf);
}

/**
 * Something that takes its time, as a stream of what it pushes, as `read` has it: ends when it has ended, throws what
 * went wrong, stops it on abort and when nobody reads on.
 */
export async function* workStream<T>(
  start: Work<T>,
  signal: AbortSignal,
  read: (queue: PushQueue<T>, signal: AbortSignal) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const stop = new AbortController();
  const queue = createPushQueue<T>(signal, Number.POSITIVE_INFINITY);
  const abort = (): void => stop.abort();
  signal.addEventListener('abort', abort, { once: true });
  const working = start((item) => void queue.push(item), stop.signal).then(
    () => queue.end(),
    (error: unknown) => queue.end(error),
  );
  try {
    yield* read(queue, stop.signal);
  } finally {
    signal.removeEventListener('abort', abort);
    stop.abort();
    await working;
  }
}
