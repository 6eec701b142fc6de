/** Everything that can go wrong and that the user should hear about. Codes are stable; messages may change. */
export type ErrorCode =
  | 'usage'
  | 'bad-input'
  | 'not-found'
  | 'conflict'
  | 'stale-file'
  | 'refused'
  | 'too-large'
  | 'missing-model'
  | 'missing-sandbox'
  | 'missing-key'
  | 'model-failed'
  | 'engine-lost'
  | 'sandbox-lost'
  | 'log-damaged'
  | 'log-version'
  | 'disk-full'
  | 'home-busy'
  | 'timeout'
  | 'cancelled'
  | 'network'
  | 'internal';

/** An expected failure as data: what was wrong, and what to do about it. */
export interface Failure {
  readonly code: ErrorCode;
  /** One or two sentences for the user: what was wrong and what was kept. */
  readonly message: string;
  /** What to do next, if there is something to do. */
  readonly hint?: string;
}

/** The result of an operation that can fail in an expected way. */
export type Reply<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: Failure };

export const success = <T>(value: T): Reply<T> => ({ ok: true, value });

export const failure = (
  code: ErrorCode,
  message: string,
  hint?: string,
): { readonly ok: false; readonly error: Failure } => ({
  ok: false,
  error: hint === undefined ? { code, message } : { code, message, hint },
});

/**
 * A `Failure` thrown as an exception. At the edge of the process, a host turns it into an exit code or a typed error.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: { readonly hint?: string; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.hint = options.hint;
  }
}

/** The value of a reply; throws its failure as an `AppError`. */
export function valueOf<T>(reply: Reply<T>): T {
  if (reply.ok) return reply.value;
  const { code, message, hint } = reply.error;
  throw new AppError(code, message, hint === undefined ? {} : { hint });
}

/** The message of any thrown value. Never throws. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Turns any thrown value into data. An unexpected one becomes `internal`. */
export function toFailure(error: unknown): Failure {
  if (error instanceof AppError) {
    return error.hint === undefined
      ? { code: error.code, message: error.message }
      : { code: error.code, message: error.message, hint: error.hint };
  }
  if (error instanceof Error && error.name === 'AbortError') return { code: 'cancelled', message: 'It was cancelled.' };
  return { code: 'internal', message: messageOf(error) };
}
