import type { RefObject } from 'react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { keepPlace } from './kept-place.ts';

/** Within this distance, in pixels, the view counts as at the end. */
const nearPx = 24;

export interface StickToBottom {
  readonly isAtEnd: boolean;
  /** Scrolls to the end and follows it. */
  readonly toEnd: () => void;
  /** Stops following, because something elsewhere is to be read. */
  readonly release: () => void;
}

/** How long a scroll movement may go on after the wheel, touch or key that caused it, in milliseconds. */
const handMs = 300;
/** Content counts as settled once no size has changed for this long, in milliseconds. */
const stillMs = 500;

/** How long scrolling to a requested place may take, in milliseconds. */
const soughtMs = 1_000;

/**
 * Keeps a view at its end while its content grows, until the reader scrolls up or unfolds something. Scrolling back to
 * the end resumes that. Growing content never counts as a reader who left. For a reader who did leave, the text being
 * read stays in place, whatever comes, goes or is rendered again.
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
      // Measuring rows moves the view, too. Without user input, only movement of settled content counts as the
      // reader's.
      const isLeft = now.top < seen.top && (isByHand || performance.now() - changedMs > stillMs);
      // A movement from before the request to go to the end may still be running.
      const isOld = isByHand && hand.lastMs() < wantedMs.current;
      if (isByHand) isReleased.current = false;
      // Content that shrinks also brings the end into view. Only scrolling there means that the reader wants to follow.
      const isGoing = (isByHand && !hand.isUp()) || now.top > seen.top || now.height <= now.shown;
      // On the way to a requested place, the view may pass the end.
      if (isThere) sticks.current = !isReleased.current && (sticks.current || isGoing);
      else if (isLeft && !isOld) sticks.current = false;
      if (sticks.current) scroller.scrollTop = scroller.scrollHeight;
      // Any movement between two changes of the content is the reader's.
      else if (place.isMoved() && (isSought() || performance.now() - changedMs > stillMs)) place.note();
      seen = placeOf(scroller);
      setIsAtEnd(sticks.current || isThere);
    };
    const keep = (): void => {
      if (sticks.current) place.forget();
      // Rows also come and go while a reader scrolls.
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
  /** Called after the view was scrolled. */
  readonly look: () => void;
  /** Called after the view or its content changed its size. */
  readonly grew: () => void;
  /** Called after something in it was added, removed or moved. */
  readonly keep: () => void;
  /** Called after something in it was unfolded. */
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
  // Rows with their own positions move only by a change of their style.
  changes.observe(inner, { childList: true, subtree: true, attributes: true, attributeFilter: ['style'] });
  return () => {
    stop.abort();
    sizes.disconnect();
    changes.disconnect();
  };
}

/** Whether a reader moves the view, or a requested place is being scrolled to. */
function isHandSeeking(hand: Hand, releasedMs: number, lostMs: number): boolean {
  const now = performance.now();
  const handedMs = Math.max(hand.lastMs(), hand.focusedMs());
  // Movement after a text disappeared does not come from earlier input.
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
  /** When the user last moved the view by wheel, touch, key or scrollbar, as in `performance.now`. */
  readonly lastMs: () => number;
  /** Whether that movement went up. */
  readonly isUp: () => boolean;
  /** When an element in it last got the focus, which scrolls it into view. */
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
