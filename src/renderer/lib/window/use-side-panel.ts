import { useCallback, useEffect, useState } from 'react';
import { textSize } from './preferences.ts';
import type { Stored } from './stored-value.ts';
import { useStored } from './stored-value.ts';

export interface SidePanel {
  readonly isOpen: boolean;
  /** It lies over what is in the middle: there is no room beside it. */
  readonly isOver: boolean;
  /** Beside the middle, this is remembered. */
  readonly toggle: () => void;
  /** For what is to be shown there: it stays until it is closed or another view comes. */
  readonly open: () => void;
  /** Closes it where it lies over something; beside it, it stays. */
  readonly closeOver: () => void;
}

/**
 * A side of the window. With room for it, it is open or not as the person chose, and `isUsual` where nobody did; without,
 * it opens when asked for.
 */
export function useSidePanel(stored: Stored<boolean | null>, narrowRem: number, isUsual: boolean): SidePanel {
  const [chosen, choose] = useStored(stored);
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

function useNarrow(narrowRem: number): boolean {
  const [isNarrow, setIsNarrow] = useState(() => isNarrowerThan(narrowRem));
  useEffect(() => {
    const measure = (): void => setIsNarrow(isNarrowerThan(narrowRem));
    // The window may have become another size since it was drawn first, and nobody says that again.
    measure();
    window.addEventListener('resize', measure);
    // It is applied to the page by a subscriber that came before this one.
    const unsubscribe = textSize.subscribe(measure);
    return () => {
      window.removeEventListener('resize', measure);
      unsubscribe();
    };
  }, [narrowRem]);
  return isNarrow;
}

/** In units of the text's size: large text needs as much room as a small window lacks. */
function isNarrowerThan(rem: number): boolean {
  return window.innerWidth < rem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
}
