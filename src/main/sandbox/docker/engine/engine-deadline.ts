import { AppError } from '@shared/errors.ts';
import { abortable } from '../../../lib/async/abort.ts';

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
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal?.reason);
  const timer = setTimeout(() => {
    controller.abort(new AppError('timeout', `No answer within ${milliseconds / 1000} s.`));
  }, milliseconds);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    controller.signal.throwIfAborted();
    return await abortable(work(controller.signal), controller.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** The HTTP status with which the engine answered; null for anything else that went wrong. */
export function statusOf(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return null;
  return typeof error.statusCode === 'number' ? error.statusCode : null;
}
