import { useMemo } from 'react';
import { useStableCallback } from '../drawing/use-stable-callback.ts';

export interface Selection {
  /** Clicks choose sessions instead of opening them. */
  readonly isOn: boolean;
  readonly chosen: ReadonlySet<string>;
  readonly start: () => void;
  readonly end: () => void;
  readonly toggle: (id: string) => void;
  /** Chooses everything from the last chosen one to this one. */
  readonly extendTo: (id: string, from?: string) => void;
  readonly all: () => void;
}

export interface ChosenItems {
  readonly ids: ReadonlySet<string>;
  /** The start of a range. */
  readonly anchor: string | null;
}

/**
 * A selection in a list, in its visible order. Items that left the list are no longer selected. Null: nothing is
 * selected. `held`: what was chosen, and the function that sets it.
 */
export function useSelection(
  order: readonly string[],
  [state, setState]: readonly [ChosenItems | null, (chosen: ChosenItems | null) => void],
): Selection {
  const chosen = useMemo(() => new Set(order.filter((id) => state?.ids.has(id) === true)), [order, state]);
  const toggle = useStableCallback((id: string): void => {
    const ids = new Set(chosen);
    if (!ids.delete(id)) ids.add(id);
    setState({ ids, anchor: id });
  });
  const extendTo = useStableCallback((id: string, from?: string): void => {
    const anchor = state?.anchor ?? from ?? id;
    const [first, last] = [order.indexOf(anchor), order.indexOf(id)].sort((left, right) => left - right);
    setState({ ids: new Set([...chosen, ...order.slice(Math.max(0, first ?? 0), (last ?? 0) + 1)]), anchor });
  });
  return {
    isOn: state !== null,
    chosen,
    start: useStableCallback(() => setState({ ids: chosen, anchor: null })),
    end: useStableCallback(() => setState(null)),
    toggle,
    extendTo,
    all: useStableCallback(() => setState({ ids: new Set(order), anchor: null })),
  };
}
