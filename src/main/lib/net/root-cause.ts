/** The innermost error below errors that wrap it; of several (one for each address of a name) the first. */
export function rootCause(error: Error): Error {
  let reason = error;
  for (;;) {
    const below: unknown = reason instanceof AggregateError ? reason.errors[0] : reason.cause;
    if (!(below instanceof Error)) return reason;
    reason = below;
  }
}
