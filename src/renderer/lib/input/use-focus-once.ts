import type { RefObject } from 'react';
import { useEffect, useRef } from 'react';

/** For a field that a person has asked for: it has the focus from the start. */
export function useFocusOnce<T extends HTMLElement>(): RefObject<T | null> {
  const field = useRef<T>(null);
  useEffect(() => field.current?.focus(), []);
  return field;
}
