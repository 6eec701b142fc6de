import { useCallback, useEffect, useState } from 'react';
import { textSize } from './preferences.ts';
import type { Stored } from './stored-value.ts';
import { useStored } from './stored-value.ts';

export interface SidePanel {
  readonly isOpen: boolean;
  /** It lies over what is in the middle: there is no room beside it. */
  readonly isOver: boolean;
  readonly toggle: () => void;
  readonly open: () => void;
  /** Closes it where it lies over something; beside it, it stays. */
  readonly closeOver: () => void;
}

/** A side of the window. With room for it, it is open or not as the person left it; without, it opens when asked for. */
export function useSidePanel(stored: Stored<boolean>, narrowRem: number): SidePanel {
  const [isWanted, setIsWanted] = useStored(stored);
  const isOver = useNarrow(narrowRem);
  const [isPulledOut, setIsPulledOut] = useState(false);
  const isOpen = isOver ? isPulledOut : isWanted;
  const set = useCallback(
    (isNowOpen: boolean) => (isOver ? setIsPulledOut(isNowOpen) : setIsWanted(isNowOpen)),
    [isOver, setIsWanted],
  );
  return {
    isOpen,
    isOver,
    toggle: useCallback(() => set(!isOpen), [set, isOpen]),
    open: useCallback(() => set(true), [set]),
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
