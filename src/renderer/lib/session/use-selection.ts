import { useMemo, useState } from 'react';
import { useStableCallback } from '../drawing/use-stable-callback.ts';

export interface Selection {
  /** Sessions are chosen now, and not opened. */
  readonly isOn: boolean;
  readonly chosen: ReadonlySet<string>;
  readonly start: () => void;
  readonly end: () => void;
  readonly toggle: (id: string) => void;
  /** From the one that was chosen last to this one, both with it. */
  readonly extendTo: (id: string, from?: string) => void;
  readonly all: () => void;
}

interface Chosen {
  readonly ids: ReadonlySet<string>;
  /** Where a range begins. */
  readonly anchor: string | null;
}

/** Several of a list, in the order in which it is drawn. What is in the list no more is chosen no more. Null: none is. */
export function useSelection(order: readonly string[]): Selection {
  const [state, setState] = useState<Chosen | null>(null);
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
