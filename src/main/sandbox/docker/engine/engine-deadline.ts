import { AppError } from '@shared/errors.ts';
import { abortable, neverAborts } from '../../../lib/async/abort.ts';
import { childAbort } from '../../../lib/async/child-abort.ts';

/**
 * Runs `work` with its own signal, which aborts with `signal` or after `milliseconds`. It does not wait for work
 * that ignores the signal, because a frozen engine never answers. Rejects with an `AppError` of code `timeout` at
 * the deadline, and with the signal's reason on abort. Leaves no timer or listener.
 */
export async function withDeadline<T>(
  milliseconds: number,
  signal: AbortSignal | null,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const child = childAbort(signal ?? neverAborts, {
    ms: milliseconds,
    reason: () => new AppError('timeout', `No answer within ${milliseconds / 1000} s.`),
  });
  try {
    child.signal.throwIfAborted();
    return await abortable(work(child.signal), child.signal);
  } finally {
    child.release();
  }
}

/** The HTTP status of the engine's answer. Null for any other error. */
export function statusOf(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return null;
  return typeof error.statusCode === 'number' ? error.statusCode : null;
}
