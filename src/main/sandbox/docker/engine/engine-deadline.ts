import { AppError } from '@shared/errors.ts';
import { abortable } from '../../../lib/async/abort.ts';

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

/** The HTTP status of the engine's answer. Null for any other error. */
export function statusOf(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return null;
  return typeof error.statusCode === 'number' ? error.statusCode : null;
}

/** The system's error code (`ENOENT`, `ECONNREFUSED` …). Null: there is none. */
export function systemCodeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}
