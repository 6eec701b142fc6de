import { sleptTime, type SleptTime } from '../../../lib/async/slept-time.ts';

/** How long a stream may be silent once the answer has begun. */
export const stallMs = { local: 300_000, cloud: 90_000 } as const;

/** If a service is silent for this long after the machine woke up, the connection was lost during sleep. */
export const afterSleepMs = 30_000;
const lookMs = 2_000;

/**
 * The time limit for the first word, from the settings or 300 s. It is long, because a server may read a long prompt
 * and a service may think without showing it.
 */
export function firstWordMs({ firstWordSeconds }: { readonly firstWordSeconds?: number | undefined }): number {
  return (firstWordSeconds ?? 300) * 1000;
}

/** Packages must not have a limit of their own: the watch of the stream is the only one. The longest timer, about 24 days. */
export const noSdkLimitMs = 2 ** 31 - 1;

/** A stream that was silent for too long. */
export class StalledError extends Error {
  readonly limitMs: number;
  readonly isAfterSleep: boolean;

  constructor(limitMs: number, isAfterSleep = false) {
    const when = isAfterSleep ? ' after the machine woke up' : '';
    super(`Nothing came for ${Math.round(limitMs / 1000)} seconds${when}.`);
    this.name = 'StalledError';
    this.limitMs = limitMs;
    this.isAfterSleep = isAfterSleep;
  }
}

/**
 * How to tell that the machine slept, and how long a stream may be silent after that. Without `wokenMs`, the usual
 * limit holds.
 */
export interface StallClock {
  readonly slept?: SleptTime;
  readonly wokenMs?: number;
}

/**
 * Passes a stream on. Throws `StalledError` when the next item takes longer than the limit in force when the wait
 * begins. Ends without an error as soon as the signal aborts, even if the source ignores it.
 */
export async function* watchForStalls<T>(
  source: AsyncIterable<T>,
  limitMs: () => number,
  signal: AbortSignal,
  { slept = sleptTime, wokenMs = Number.POSITIVE_INFINITY }: StallClock = {},
): AsyncIterable<T> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    while (!signal.aborted) {
      const next = await nextWithin(iterator, { limitMs: limitMs(), slept, wokenMs }, signal);
      if (next === null || next.done === true) return;
      yield next.value;
    }
  } finally {
    // Not awaited, because a hanging source would hang here, too.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

function nextWithin<T>(
  iterator: AsyncIterator<T>,
  { limitMs, slept, wokenMs }: { readonly limitMs: number } & Required<StallClock>,
  signal: AbortSignal,
): Promise<IteratorResult<T> | null> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => settle(() => resolve(null));
    const startedAt = performance.now();
    const before = { wall: slept.wallMs(), steady: slept.steadyMs() };
    let wokeAt: number | null = null;
    const look = (): void => {
      const now = performance.now();
      if (slept.wallMs() > before.wall) wokeAt ??= now;
      const left = limitMs - (now - startedAt) + (slept.steadyMs() - before.steady);
      const leftAwake = wokeAt === null ? left : wokenMs - (now - wokeAt);
      if (left <= 0) settle(() => reject(new StalledError(limitMs)));
      else if (leftAwake <= 0) settle(() => reject(new StalledError(wokenMs, true)));
      else timer = setTimeout(look, Math.min(left, leftAwake, lookMs));
    };
    let timer = setTimeout(look, Math.min(limitMs, lookMs));
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
