/** An error with a code that callers can act on. */
export function failure(code, message) {
  return Object.assign(new Error(message), { code });
}
