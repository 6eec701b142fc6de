import { useCallback, useEffect, useRef } from 'react';

/** The same function for as long as the component lives, which calls the latest: for parts that are not drawn again for nothing. */
export function useStableCallback<A extends readonly unknown[]>(latest: (...args: A) => void): (...args: A) => void {
  const kept = useRef(latest);
  useEffect(() => {
    kept.current = latest;
  });
  return useCallback((...args: A) => kept.current(...args), []);
}
