import { setMaxListeners } from 'node:events';

/** For a signal with many listeners at the same time: with more than ten, Node prints a warning about a leak. */
export function abortWithManyListeners(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/**
 * For work that must not be ended early. Remove listeners from it, because this signal lives as long as the process.
 */
export const neverAborts: AbortSignal = abortWithManyListeners().signal;

/** Resolves after `milliseconds`; rejects with the signal's reason if it aborts first. Leaves no listener or timer. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/**
 * Waits for `work`, but not past the abort of `signal`: then it rejects with the signal's reason and ignores what
 * `work` does later. For work that cannot be aborted.
 */
export function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
