import { useCallback, useInsertionEffect, useRef } from 'react';

/**
 * A function that stays the same for the life of the component and calls the latest one. Saves memoized components from
 * rendering.
 */
export function useStableCallback<A extends readonly unknown[]>(latest: (...args: A) => void): (...args: A) => void {
  const kept = useRef(latest);
  // With the drawing, and not after it: what a user sees and presses at once is the latest.
  useInsertionEffect(() => {
    kept.current = latest;
  });
  return useCallback((...args: A) => kept.current(...args), []);
}
