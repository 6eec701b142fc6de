import { useEffect, useRef } from 'react';
import type { RefObject } from 'react';

/** The part of a view that the user came for is scrolled to, and gets the focus. */
export function useWantedPlace(isWanted: boolean): RefObject<HTMLElement | null> {
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!isWanted) return;
    place.current?.focus({ preventScroll: true });
    place.current?.scrollIntoView();
  }, [isWanted]);
  return place;
}
