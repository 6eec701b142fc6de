import { useCallback, useEffect, useState } from 'react';
import type { Stored } from './stored.ts';
import { useStored } from './stored.ts';

export interface Side {
  readonly isOpen: boolean;
  /** It lies over what is in the middle: there is no room beside it. */
  readonly isOver: boolean;
  readonly toggle: () => void;
  readonly open: () => void;
  /** Closes it where it lies over something; beside it, it stays. */
  readonly closeOver: () => void;
}

/** A side of the window. With room for it, it is open or not as the person left it; without, it opens when asked for. */
export function useSide(stored: Stored<boolean>, narrowPx: number): Side {
  const [isWanted, setIsWanted] = useStored(stored);
  const isOver = useNarrow(narrowPx);
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

function useNarrow(narrowPx: number): boolean {
  const [isNarrow, setIsNarrow] = useState(() => window.innerWidth < narrowPx);
  useEffect(() => {
    const onResize = (): void => setIsNarrow(window.innerWidth < narrowPx);
    window.addEventListener('resize', onResize);
    return () => window.removeEventListener('resize', onResize);
  }, [narrowPx]);
  return isNarrow;
}
