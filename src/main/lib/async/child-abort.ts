/** A signal that aborts with its parent, until it is released. For one call or one tool run of a longer turn. */
export interface ChildAbort {
  readonly signal: AbortSignal;
  readonly abort: (reason?: unknown) => void;
  /** Removes the listener from the parent, and the timer; call it when the work is over, so that a long turn gathers none. */
  readonly release: () => void;
}

/** `late`: it aborts by itself after so many milliseconds, with this reason. */
export function childAbort(
  parent: AbortSignal,
  late?: { readonly ms: number; readonly reason?: () => Error },
): ChildAbort {
  const controller = new AbortController();
  const follow = (): void => controller.abort(parent.reason);
  if (parent.aborted) follow();
  else parent.addEventListener('abort', follow, { once: true });
  const timer = late && setTimeout(() => controller.abort(late.reason?.()), late.ms);
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release: () => {
      parent.removeEventListener('abort', follow);
      clearTimeout(timer);
    },
  };
}

/** Runs work with a signal that aborts when either of two signals does. */
export async function withEitherSignal<T>(
  one: AbortSignal,
  other: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const both = childAbort(one);
  const follow = (): void => both.abort(other.reason);
  if (other.aborted) follow();
  else other.addEventListener('abort', follow, { once: true });
  try {
    return await work(both.signal);
  } finally {
    other.removeEventListener('abort', follow);
    both.release();
  }
}
