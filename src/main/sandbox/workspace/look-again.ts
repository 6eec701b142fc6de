/** A quarter of a second, as between two looks at repositories. */
const leastMs = 250;
/** So many times as long as a look took, nothing is looked for again. */
const restTimes = 20;

/**
 * Repeats a look that takes time, but only as often as it is worth. Calls at the same time share one. Rejects as the look
 * does, and looks again at the next call then.
 */
export function lookAgain<T>(first: T, look: () => Promise<T>): () => Promise<T> {
  let last = first;
  let until = performance.now() + leastMs;
  let running: Promise<T> | null = null;
  const renew = async (): Promise<T> => {
    const startedAt = performance.now();
    last = await look();
    const now = performance.now();
    until = now + Math.max(leastMs, restTimes * (now - startedAt));
    return last;
  };
  return async () => {
    if (running === null && performance.now() < until) return last;
    running ??= renew().finally(() => void (running = null));
    return running;
  };
}
