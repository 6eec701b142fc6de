import type { RefObject } from 'react';
import { useCallback, useEffect, useRef, useState } from 'react';

/** How near to the end still counts as there, in pixels. */
const nearPx = 24;

export interface StickToBottom {
  readonly isAtEnd: boolean;
  /** Goes there and stays there. */
  readonly toEnd: () => void;
  /** Lets go: something is to be looked at where it is. */
  readonly release: () => void;
}

/**
 * Keeps a view at its end while its content grows, but only for as long as the reader is there: who scrolls up or
 * unfolds something reads, and then nothing moves by itself. Scrolling to the end takes it up again.
 */
export function useStickToBottom(
  view: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
): StickToBottom {
  const sticks = useRef(true);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const toEnd = (): void => {
    sticks.current = true;
    setIsAtEnd(true);
    const scroller = view.current;
    scroller?.scrollTo({ top: scroller.scrollHeight });
  };
  const release = useCallback(() => {
    sticks.current = false;
  }, []);
  useEffect(() => {
    const [scroller, inner] = [view.current, content.current];
    if (scroller === null || inner === null) return undefined;
    const measure = (): boolean => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight <= nearPx;
    const onScroll = (): void => {
      sticks.current = measure();
      setIsAtEnd(sticks.current);
    };
    const observer = new ResizeObserver(() => {
      if (sticks.current) scroller.scrollTop = scroller.scrollHeight;
      else setIsAtEnd(measure());
    });
    scroller.addEventListener('scroll', onScroll, { passive: true });
    inner.addEventListener('click', release, true);
    observer.observe(inner);
    observer.observe(scroller);
    return () => {
      scroller.removeEventListener('scroll', onScroll);
      inner.removeEventListener('click', release, true);
      observer.disconnect();
    };
  }, [view, content, release]);
  return { isAtEnd, toEnd, release };
}
