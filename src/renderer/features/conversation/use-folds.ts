import { useCallback, useState } from 'react';
import type { SessionState, TurnState } from '@shared/session/session-state.ts';

export interface Folds {
  readonly isFolded: (turn: TurnState) => boolean;
  readonly unfold: (turnId: string) => void;
}

/** Turns that were over when the session was opened are folded, but for the last; what is open stays so. */
export function useFolds(state: SessionState): Folds {
  const [openedSeq] = useState(state.seq);
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(state.turns.slice(-1).map((turn) => turn.id)));
  const isFolded = useCallback((turn: TurnState) => turn.seq <= openedSeq && !open.has(turn.id), [open, openedSeq]);
  const unfold = useCallback((turnId: string) => {
    setOpen((before) => (before.has(turnId) ? before : new Set([...before, turnId])));
  }, []);
  return { isFolded, unfold };
}
