import { AppError } from '@shared/errors.ts';
import { abortable, neverAborts } from '../../../lib/async/abort.ts';
import { childAbort } from '../../../lib/async/child-abort.ts';

/**
 * Does `work` with a signal of its own that aborts with `signal` or after `milliseconds`; returns without waiting for
 * work that does not listen, because an engine that is frozen answers nothing. Rejects with an `AppError` of code
 * `timeout` at the deadline, with the signal's reason on abort. Leaves no timer or listener.
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

/** The HTTP status with which the engine answered; null for anything else that went wrong. */
export function statusOf(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return null;
  return typeof error.statusCode === 'number' ? error.statusCode : null;
}
