import type { RefObject } from 'react';
import { useEffect, useRef } from 'react';

/** Gives the focus to a field that the user asked for, when it appears. */
export function useFocusOnce<T extends HTMLElement>(): RefObject<T | null> {
  const field = useRef<T>(null);
  useEffect(() => field.current?.focus(), []);
  return field;
}
