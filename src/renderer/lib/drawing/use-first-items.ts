import { useState } from 'react';

interface FirstItems<T> {
  readonly shown: readonly T[];
  /** How many are not shown. */
  readonly left: number;
  /** Shows as many again. */
  readonly more: () => void;
}

/** The beginning of a list that may be too long to be drawn at once, and more of it when that is asked for. */
export function useFirstItems<T>(items: readonly T[], step: number): FirstItems<T> {
  const [count, setCount] = useState(step);
  return {
    shown: items.slice(0, count),
    left: Math.max(0, items.length - count),
    more: () => setCount(count + step),
  };
}
