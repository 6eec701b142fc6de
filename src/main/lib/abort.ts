/** A signal that aborts with the reason of the first of `signals` that does (`AbortSignal.any` needs Node 20). */
export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  const controller = new AbortController();
  const listeners: (() => void)[] = [];
  const release = (): void => {
    for (const remove of listeners) remove();
  };
  for (const signal of signals) {
    if (signal.aborted) {
      controller.abort(signal.reason);
      break;
    }
    const onAbort = (): void => {
      controller.abort(signal.reason);
      release();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    listeners.push(() => signal.removeEventListener('abort', onAbort));
  }
  if (controller.signal.aborted) release();
  return controller.signal;
}

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
