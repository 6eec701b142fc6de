import { sleptTime, type SleptTime } from '../../../lib/async/slept-time.ts';

/** How long an answer that has begun may be silent. */
export const stallMs = { local: 300_000, cloud: 90_000 } as const;

/** A service that says nothing for so long after the machine woke up was lost in its sleep. */
export const afterSleepMs = 30_000;
const lookMs = 2_000;

/** Until its first word a server may read a long prompt, and a service think without showing it. In place of it, the settings' seconds. */
export function firstWordMs({ firstWordSeconds }: { readonly firstWordSeconds?: number | undefined }): number {
  return (firstWordSeconds ?? 300) * 1000;
}

/** A stream that gave nothing for too long. */
export class StalledError extends Error {
  constructor(limitMs: number, isAfterSleep = false) {
    const when = isAfterSleep ? ' after the machine woke up' : '';
    super(`Nothing came for ${Math.round(limitMs / 1000)} seconds${when}.`);
    this.name = 'StalledError';
  }
}

/** How the sleep of the machine is known, and how long a stream may be silent after it; without, as long as before it. */
export interface StallClock {
  readonly slept?: SleptTime;
  readonly wokenMs?: number;
}

/**
 * Passes a stream on; throws `StalledError` when the next item takes longer than what holds when it is waited for.
 * Ends (without an error) as soon as the signal aborts, even when the source does not listen.
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
    // Not awaited: a source that hangs would hang its ending, too.
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
