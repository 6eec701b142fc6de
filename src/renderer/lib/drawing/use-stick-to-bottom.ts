import type { RefObject } from 'react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { keepPlace } from './kept-place.ts';

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

/** How long something that was asked for may take to be brought into view, in milliseconds. */
const soughtMs = 1_000;

/**
 * Keeps a view at its end while its content grows, until the reader scrolls up or unfolds something. Scrolling back to
 * the end takes it up again. Content that grows between two looks is never taken for a reader who left; and for one who
 * did, what is read stays where it is, whatever comes, goes or is drawn anew.
 */
export function useStickToBottom(
  view: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
): StickToBottom {
  const sticks = useRef(true);
  const isReleased = useRef(false);
  const wantedMs = useRef(Number.NEGATIVE_INFINITY);
  const releasedMs = useRef(Number.NEGATIVE_INFINITY);
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
    releasedMs.current = performance.now();
  }, []);
  useEffect(() => {
    const [scroller, inner] = [view.current, content.current];
    if (scroller === null || inner === null) return undefined;
    const hand = watchHand(scroller);
    const place = keepPlace(scroller, inner);
    const isSought = (): boolean => place.isScrolled() || isHandSeeking(hand, releasedMs.current, place.lostMs());
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
      const isGoing = (isByHand && !hand.isUp()) || now.top > seen.top || now.height <= now.shown;
      // Who looks for a place passes the end on the way.
      if (isThere) sticks.current = !isReleased.current && (sticks.current || isGoing);
      else if (isLeft && !isOld) sticks.current = false;
      if (sticks.current) scroller.scrollTop = scroller.scrollHeight;
      // Of the movements between two changes of the content each is a reader's.
      else if (place.isMoved() && (isSought() || performance.now() - changedMs > stillMs)) place.note();
      seen = placeOf(scroller);
      setIsAtEnd(sticks.current || isThere);
    };
    const keep = (): void => {
      if (sticks.current) place.forget();
      // Rows come and go as a reader moves, too.
      else if (place.isMoved() && isSought()) place.note();
      else place.restore();
    };
    const grew = (): void => {
      changedMs = performance.now();
      if (sticks.current) scroller.scrollTop = scroller.scrollHeight;
      keep();
      seen = placeOf(scroller);
      setIsAtEnd(sticks.current || seen.height - seen.top - seen.shown <= nearPx);
    };
    const unwatch = watch(scroller, inner, { look, grew, keep, release });
    return () => {
      hand.stop();
      unwatch();
    };
  }, [view, content, release]);
  return { isAtEnd, toEnd, release };
}

interface Watching {
  /** The view was moved. */
  readonly look: () => void;
  /** Its content or it itself has another size. */
  readonly grew: () => void;
  /** Something in it came, went or was placed elsewhere. */
  readonly keep: () => void;
  /** Something in it was unfolded. */
  readonly release: () => void;
}

function watch(scroller: HTMLElement, inner: HTMLElement, { look, grew, keep, release }: Watching): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const onClick = ({ target }: MouseEvent): void => {
    if (target instanceof Element && target.closest('[aria-expanded], summary') !== null) release();
  };
  scroller.addEventListener('scroll', look, { passive: true, signal });
  inner.addEventListener('click', onClick, { capture: true, signal });
  const sizes = new ResizeObserver(grew);
  sizes.observe(inner);
  sizes.observe(scroller);
  const changes = new MutationObserver(keep);
  // Rows that are placed by themselves move by their styles alone.
  changes.observe(inner, { childList: true, subtree: true, attributes: true, attributeFilter: ['style'] });
  return () => {
    stop.abort();
    sizes.disconnect();
    changes.disconnect();
  };
}

/** Whether a reader moves the view, or something that was asked for is brought into it. */
function isHandSeeking(hand: Hand, releasedMs: number, lostMs: number): boolean {
  const now = performance.now();
  const handedMs = Math.max(hand.lastMs(), hand.focusedMs());
  // What moves once a text is taken away is not what a hand moved before.
  return (handedMs > now - handMs && handedMs > lostMs) || (releasedMs > now - soughtMs && releasedMs > lostMs);
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
  /** It went up. */
  readonly isUp: () => boolean;
  /** When something in it got the focus, which brings it into view. */
  readonly focusedMs: () => number;
  readonly stop: () => void;
}

const upKeys: ReadonlySet<string> = new Set(['ArrowUp', 'PageUp', 'Home']);

function watchHand(view: HTMLElement): Hand {
  let lastMs = Number.NEGATIVE_INFINITY;
  let focusedMs = Number.NEGATIVE_INFINITY;
  let isHeld = false;
  const abort = new AbortController();
  const options = { passive: true, signal: abort.signal } as const;
  let isUp = false;
  const moved = (event: WheelEvent | TouchEvent | KeyboardEvent): void => {
    lastMs = performance.now();
    isUp = event instanceof WheelEvent ? event.deltaY < 0 : 'key' in event && upKeys.has(event.key);
  };
  for (const type of ['wheel', 'touchmove', 'keydown'] as const) view.addEventListener(type, moved, options);
  view.addEventListener('focusin', () => (focusedMs = performance.now()), options);
  view.addEventListener('pointerdown', ({ target }) => (isHeld = target === view), options);
  window.addEventListener('pointerup', () => (isHeld = false), options);
  return {
    lastMs: () => (isHeld ? performance.now() : lastMs),
    isUp: () => isUp,
    focusedMs: () => focusedMs,
    stop: () => abort.abort(),
  };
}
