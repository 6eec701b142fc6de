/** How long a stream may be silent. A local server may read a long prompt for minutes; a service on the net may not. */
export const stallMs = { local: 300_000, cloud: 90_000 } as const;

/** A stream that gave nothing for too long. */
export class StalledError extends Error {
  constructor(stallMs: number) {
    super(`Nothing came for ${Math.round(stallMs / 1000)} seconds.`);
    this.name = 'StalledError';
  }
}

/**
 * Passes a stream on; throws `StalledError` when the next item takes longer than `stallMs`.
 * Ends (without an error) as soon as the signal aborts, even when the source does not listen.
 */
export async function* watched<T>(source: AsyncIterable<T>, stallMs: number, signal: AbortSignal): AsyncIterable<T> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    while (!signal.aborted) {
      const next = await nextWithin(iterator, stallMs, signal);
      if (next === null || next.done === true) return;
      yield next.value;
    }
  } finally {
    // Not awaited: a source that hangs would hang its ending, too.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

function nextWithin<T>(
  iterator: AsyncIterator<T>,
  stallMs: number,
  signal: AbortSignal,
): Promise<IteratorResult<T> | null> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => settle(() => resolve(null));
    const timer = setTimeout(() => settle(() => reject(new StalledError(stallMs))), stallMs);
    const settle = (finish: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      finish();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    iterator.next().then(
      (result) => settle(() => resolve(result)),
      (error: unknown) => settle(() => reject(error instanceof Error ? error : new Error(String(error)))),
    );
  });
}
