/** The delay in browsers that do not report when they are idle. */
const guessedMs = 300;

/** Runs something once the window is idle. The returned function cancels it. */
export function whenIdle(work: () => void): () => void {
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(work, guessedMs);
    return () => clearTimeout(timer);
  }
  const asked = window.requestIdleCallback(work);
  return () => window.cancelIdleCallback(asked);
}
