/** How long work may block the main thread. */
const sliceMs = 8;

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
