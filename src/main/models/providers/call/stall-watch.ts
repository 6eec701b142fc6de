/** How long an answer that has begun may be silent. */
export const stallMs = { local: 300_000, cloud: 90_000 } as const;

/** Until its first word a server may read a long prompt, and a service think without showing it. In place of it, the settings' seconds. */
export function firstWordMs({ firstWordSeconds }: { readonly firstWordSeconds?: number | undefined }): number {
  return (firstWordSeconds ?? 300) * 1000;
}

/** A stream that gave nothing for too long. */
export class StalledError extends Error {
  constructor(limitMs: number) {
    super(`Nothing came for ${Math.round(limitMs / 1000)} seconds.`);
    this.name = 'StalledError';
  }
}

/**
 * Passes a stream on; throws `StalledError` when the next item takes longer than what holds when it is waited for.
 * Ends (without an error) as soon as the signal aborts, even when the source does not listen.
 */
export async function* watchForStalls<T>(
  source: AsyncIterable<T>,
  limitMs: () => number,
  signal: AbortSignal,
): AsyncIterable<T> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    while (!signal.aborted) {
      const next = await nextWithin(iterator, limitMs(), signal);
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
  limitMs: number,
  signal: AbortSignal,
): Promise<IteratorResult<T> | null> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => settle(() => resolve(null));
    const timer = setTimeout(() => settle(() => reject(new StalledError(limitMs))), limitMs);
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
