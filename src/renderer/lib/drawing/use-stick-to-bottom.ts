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

/** How long a movement may go on after the wheel, touch or key that began it, in milliseconds. */
const handMs = 300;
/** How long sizes have been the same when nothing changes any more, in milliseconds. */
const stillMs = 500;

/**
 * Keeps a view at its end while its content grows, until the reader scrolls up or unfolds something. Scrolling back to
 * the end takes it up again. Content that grows between two looks is never taken for a reader who left.
 */
export function useStickToBottom(
  view: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
): StickToBottom {
  const sticks = useRef(true);
  const isReleased = useRef(false);
  const wantedMs = useRef(Number.NEGATIVE_INFINITY);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const toEnd = (): void => {
    sticks.current = true;
    isReleased.current = false;
    wantedMs.current = performance.now();
    setIsAtEnd(true);
    const scroller = view.current;
    scroller?.scrollTo({ top: scroller.scrollHeight });
  };
  const release = useCallback(() => {
    sticks.current = false;
    isReleased.current = true;
  }, []);
  useEffect(() => {
    const [scroller, inner] = [view.current, content.current];
    if (scroller === null || inner === null) return undefined;
    const hand = watchHand(scroller);
    let seen = placeOf(scroller);
    let changedMs = performance.now();
    const look = (): void => {
      const now = placeOf(scroller);
      const isThere = now.height - now.top - now.shown <= nearPx;
      if (now.height !== seen.height || now.shown !== seen.shown) changedMs = performance.now();
      const isByHand = hand.lastMs() > performance.now() - handMs;
      // Rows that are measured move it too. Without a hand, only what comes when nothing changes is a reader's doing.
      const isLeft = now.top < seen.top && (isByHand || performance.now() - changedMs > stillMs);
      // What a hand began before the end was asked for still runs out.
      const isOld = isByHand && hand.lastMs() < wantedMs.current;
      if (isByHand) isReleased.current = false;
      // Content that gets lower brings the end to who reads; only going there is a wish to stay there.
      const isGoing = isByHand || now.top > seen.top || now.height <= now.shown;
      // Who looks for a place passes the end on the way.
      if (isThere) sticks.current = !isReleased.current && (sticks.current || isGoing);
      else if (isLeft && !isOld) sticks.current = false;
      if (sticks.current) scroller.scrollTop = scroller.scrollHeight;
      seen = placeOf(scroller);
      setIsAtEnd(sticks.current || isThere);
    };
    const grew = (): void => {
      changedMs = performance.now();
      if (sticks.current) scroller.scrollTop = scroller.scrollHeight;
      seen = placeOf(scroller);
      setIsAtEnd(sticks.current || seen.height - seen.top - seen.shown <= nearPx);
    };
    const onClick = ({ target }: MouseEvent): void => {
      if (target instanceof Element && target.closest('[aria-expanded], summary') !== null) release();
    };
    const observer = new ResizeObserver(grew);
    scroller.addEventListener('scroll', look, { passive: true });
    inner.addEventListener('click', onClick, true);
    observer.observe(inner);
    observer.observe(scroller);
    return () => {
      hand.stop();
      scroller.removeEventListener('scroll', look);
      inner.removeEventListener('click', onClick, true);
      observer.disconnect();
    };
  }, [view, content, release]);
  return { isAtEnd, toEnd, release };
}

interface Place {
  readonly top: number;
  readonly height: number;
  readonly shown: number;
}

function placeOf({ scrollTop, scrollHeight, clientHeight }: HTMLElement): Place {
  return { top: scrollTop, height: scrollHeight, shown: clientHeight };
}

interface Hand {
  /** When a person moved the view last, by wheel, touch, key or scrollbar: milliseconds as of `performance.now`. */
  readonly lastMs: () => number;
  readonly stop: () => void;
}

function watchHand(view: HTMLElement): Hand {
  let lastMs = Number.NEGATIVE_INFINITY;
  let isHeld = false;
  const abort = new AbortController();
  const options = { passive: true, signal: abort.signal } as const;
  const moved = (): void => {
    lastMs = performance.now();
  };
  for (const type of ['wheel', 'touchmove', 'keydown'] as const) view.addEventListener(type, moved, options);
  view.addEventListener('pointerdown', ({ target }) => (isHeld = target === view), options);
  window.addEventListener('pointerup', () => (isHeld = false), options);
  return { lastMs: () => (isHeld ? performance.now() : lastMs), stop: () => abort.abort() };
}
