import { setMaxListeners } from 'node:events';

/** For a signal that much waits on at the same time: Node takes more than ten for a leak, and says so to the person. */
export function abortWithManyListeners(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** For work that nobody ends before its time. Who listens to it stops listening, for it never goes away. */
export const neverAborts: AbortSignal = abortWithManyListeners().signal;

/** Resolves after `milliseconds`; rejects with the signal's reason when it aborts first. Leaves no listener or timer. */
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
 * Waits for `work`, but not past the abort of `signal`: then it rejects with the signal's reason, and what `work`
 * does later is ignored. For work that cannot be told to stop.
 */
export function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
