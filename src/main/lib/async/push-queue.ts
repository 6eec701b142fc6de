/** A queue with one reader, which takes everything that waits at once. */
export interface PushQueue<T> {
  /** Resolves when the reader has caught up. A producer that waits for it cannot flood the reader. */
  push(item: T): Promise<void>;
  end(error?: unknown): void;
  /**
   * Returns everything that waits, after waiting for at least one item. Null at the end or on abort; throws what `end`
   * was given.
   */
  take(): Promise<readonly T[] | null>;
}

export function createPushQueue<T>(signal: AbortSignal, most: number): PushQueue<T> {
  let items: T[] = [];
  let isEnded = false;
  let failure: unknown = null;
  let wakeReader: (() => void) | null = null;
  let wakeWriters: (() => void)[] = [];
  const wakeAll = (): void => {
    wakeReader?.();
    wakeReader = null;
    for (const wake of wakeWriters) wake();
    wakeWriters = [];
  };
  const end = (error?: unknown): void => {
    if (isEnded) return;
    isEnded = true;
    failure = error ?? null;
    wakeAll();
  };
  if (signal.aborted) end();
  signal.addEventListener('abort', () => end(), { once: true });
  return {
    end,
    push(item) {
      if (isEnded) return Promise.resolve();
      items.push(item);
      wakeReader?.();
      wakeReader = null;
      if (items.length < most) return Promise.resolve();
      return new Promise((resolve) => wakeWriters.push(resolve));
    },
    async take() {
      if (items.length === 0 && !isEnded) {
        await new Promise<void>((resolve) => {
          wakeReader = resolve;
        });
      }
      if (signal.aborted) return null;
      if (items.length === 0) {
        if (failure !== null) throw failure;
        return null;
      }
      const taken = items;
      items = [];
      for (const wake of wakeWriters) wake();
      wakeWriters = [];
      return taken;
    },
  };
}

/** Only the latest of the items that arrived since the last read, for a reader that shows the present state. */
export async function* latestOf<T>(queue: PushQueue<T>): AsyncGenerator<T> {
  for (let items = await queue.take(); items !== null; items = await queue.take()) {
    const latest = items.at(-1);
    if (latest !== undefined) yield latest;
  }
}

/** All items, one by one. */
export async function* eachOf<T>(queue: PushQueue<T>): AsyncGenerator<T> {
  for (let items = await queue.take(); items !== null; items = await queue.take()) yield* items;
}

type Work<T> = (push: (item: T) => void, signal: AbortSignal) => Promise<void>;

/** Work as a stream of its progress. Progress that the reader had no time for is dropped, except the last. */
export function progressStream<T>(start: Work<T>, signal: AbortSignal): AsyncGenerator<T> {
  return workStream(start, signal, latestOf);
}

/** Work as a stream of everything that it reports. */
export function wholeStream<T>(start: Work<T>, signal: AbortSignal): AsyncGenerator<T> {
  return workStream(start, signal, eachOf);
}

/**
 * Work as a stream of what it pushes, read through `read`. The stream ends with the work, throws its error, and stops
 * it on abort or when the reader stops.
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
