/** Not every browser says when it is idle; then it is guessed. */
const guessedMs = 300;

/** Does something once the window has nothing to do. The answer calls it off. */
export function whenIdle(work: () => void): () => void {
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(work, guessedMs);
    return () => clearTimeout(timer);
  }
  const asked = window.requestIdleCallback(work);
  return () => window.cancelIdleCallback(asked);
}
