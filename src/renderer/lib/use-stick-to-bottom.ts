import type { RefObject } from 'react';
import { useEffect, useRef } from 'react';

/** How near to the end still counts as there, in pixels. */
const nearPx = 24;

/**
 * Keeps a view at its end while its content grows, but only for as long as the reader is there: who scrolls up or
 * unfolds something reads, and then nothing moves by itself. Scrolling to the end takes it up again.
 */
export function useStickToBottom(view: RefObject<HTMLElement | null>, content: RefObject<HTMLElement | null>): void {
  const isAtEnd = useRef(true);
  useEffect(() => {
    const [scroller, inner] = [view.current, content.current];
    if (scroller === null || inner === null) return undefined;
    const onScroll = (): void => {
      isAtEnd.current = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight <= nearPx;
    };
    const onClick = (): void => {
      isAtEnd.current = false;
    };
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) scroller.scrollTop = scroller.scrollHeight;
    });
    scroller.addEventListener('scroll', onScroll, { passive: true });
    inner.addEventListener('click', onClick, true);
    observer.observe(inner);
    return () => {
      scroller.removeEventListener('scroll', onScroll);
      inner.removeEventListener('click', onClick, true);
      observer.disconnect();
    };
  }, [view, content]);
}
