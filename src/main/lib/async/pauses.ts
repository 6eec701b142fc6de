/** How long work may block the main thread. */
const sliceMs = 8;

/** So many short things are done between two looks at the clock. */
const betweenLooks = 500;

/** Goes through many entries, and lets others go on meanwhile. Rejects on abort. */
export async function* inSlices<T>(all: Iterable<T>, signal: AbortSignal): AsyncIterable<readonly T[]> {
  const pause = pauses(signal);
  let some: T[] = [];
  for (const one of all) {
    some.push(one);
    if (some.length < betweenLooks) continue;
    yield some;
    some = [];
    await pause();
  }
  if (some.length > 0) yield some;
}

/** Yields to the main thread every few milliseconds. Rejects on abort. */
export function pauses(signal: AbortSignal): () => Promise<void> {
  let until = performance.now() + sliceMs;
  return async () => {
    signal.throwIfAborted();
    if (performance.now() < until) return;
    await new Promise((resolve) => setImmediate(resolve));
    until = performance.now() + sliceMs;
  };
}
