import { useState } from 'react';

interface FirstItems<T> {
  readonly shown: readonly T[];
  /** Number of items that are not shown. */
  readonly left: number;
  /** Shows as many more. */
  readonly more: () => void;
}

/** The beginning of a list that may be too long to render at once, and more of it on request. */
export function useFirstItems<T>(items: readonly T[], step: number): FirstItems<T> {
  const [count, setCount] = useState(step);
  return {
    shown: items.slice(0, count),
    left: Math.max(0, items.length - count),
    more: () => setCount(count + step),
  };
}
