/**
 * How long to wait after a failed attempt, in milliseconds. Attempts count from
 * 1: after the first one the wait is `base`, and it doubles after each further
 * one, up to `max`.
 */
export function waitAfter(attempt, { base = 100, max = 10_000 } = {}) {
  return Math.min(max, base * 2 ** attempt);
}
