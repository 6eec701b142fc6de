import { useCallback, useState } from 'react';
import type { TurnState } from '@shared/session/session-state.ts';
import { areStepsShown } from '../../lib/window/preferences.ts';
import { useStoredValue } from '../../lib/window/stored-value.ts';

export interface Folds {
  /** Whether the work of a turn is shown step by step. */
  readonly isOpen: (turn: TurnState) => boolean;
  readonly toggle: (turnId: string) => void;
  readonly open: (turnId: string) => void;
}

/** The work of each turn is folded unless the user always wants to see it. Each turn can be toggled. */
export function useFolds(): Folds {
  const [isShown] = useStoredValue(areStepsShown);
  const [changed, setChanged] = useState<ReadonlyMap<string, boolean>>(new Map());
  const isOpen = useCallback(({ id }: TurnState) => changed.get(id) ?? isShown, [changed, isShown]);
  const toggle = useCallback(
    (id: string) => setChanged((before) => new Map([...before, [id, !(before.get(id) ?? isShown)]])),
    [isShown],
  );
  const open = useCallback((id: string) => setChanged((before) => new Map([...before, [id, true]])), []);
  return { isOpen, toggle, open };
}
