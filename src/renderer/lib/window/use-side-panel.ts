import { useCallback, useEffect, useLayoutEffect, useState } from 'react';
import { useStableCallback } from '../drawing/use-stable-callback.ts';
import { textSize } from './preferences.ts';
import type { StoredValue } from './stored-value.ts';
import { useStoredValue } from './stored-value.ts';

export interface SidePanel {
  readonly isOpen: boolean;
  /** The panel covers the middle, because there is no room beside it. */
  readonly isOver: boolean;
  /** Opens or closes it. Stored only while the panel is beside the middle. */
  readonly toggle: () => void;
  /** Opens it to show something. It stays until it is closed or another view comes. */
  readonly open: () => void;
  /** Closes it if it covers the middle. Beside the middle, it stays. */
  readonly closeOver: () => void;
}

/**
 * A side panel of the window. With enough room it is open or closed as the user chose, or `isUsual` without a choice.
 * With too little room, it opens on request.
 */
export function useSidePanel(stored: StoredValue<boolean | null>, narrowRem: number, isUsual: boolean): SidePanel {
  const [chosen, choose] = useStoredValue(stored);
  const isOver = useNarrow(narrowRem);
  const [isPulledOut, setIsPulledOut] = useState(false);
  const [isNeeded, setIsNeeded] = useState(false);
  const isOpen = isOver ? isPulledOut : isNeeded || (chosen ?? isUsual);
  return {
    isOpen,
    isOver,
    toggle: useCallback(() => {
      if (isOver) setIsPulledOut(!isOpen);
      else choose(!isOpen);
      setIsNeeded(false);
    }, [isOver, isOpen, choose]),
    open: useCallback(() => (isOver ? setIsPulledOut(true) : setIsNeeded(true)), [isOver]),
    closeOver: useCallback(() => setIsPulledOut(false), []),
  };
}

/** Escape uncovers what a panel covers, unless a field, question, menu or dialog has a use for it. */
export function useEscape(isCovering: boolean, uncover: () => void): void {
  const onKey = useStableCallback((event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.defaultPrevented || !(event.target instanceof Element)) return;
    const isTaken = event.target.closest('aside :is(input, textarea), header input, article textarea, [role$=dialog]');
    if (isTaken === null) uncover();
  });
  // A panel that is drawn can be closed at once.
  useLayoutEffect(() => {
    if (!isCovering) return undefined;
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [isCovering, onKey]);
}

function useNarrow(narrowRem: number): boolean {
  const [isNarrow, setIsNarrow] = useState(() => isNarrowerThan(narrowRem));
  useEffect(() => {
    const measure = (): void => setIsNarrow(isNarrowerThan(narrowRem));
    // The window may have changed its size since the first render, and no event will report that.
    measure();
    window.addEventListener('resize', measure);
    // An earlier subscriber applies the text size to the page.
    const unsubscribe = textSize.subscribe(measure);
    return () => {
      window.removeEventListener('resize', measure);
      unsubscribe();
    };
  }, [narrowRem]);
  return isNarrow;
}

/** In units of the text size, because large text needs more room. */
function isNarrowerThan(rem: number): boolean {
  return window.innerWidth < rem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
}
