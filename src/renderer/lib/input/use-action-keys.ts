import { useMemo } from 'react';
import type { Action } from './actions.ts';
import { useShortcuts } from './use-shortcuts.ts';

/** The actions with a person's own keys; what had one of these before by default goes without. */
export function useActionShortcuts(actions: readonly Action[]): readonly Action[] {
  const [own] = useShortcuts();
  return useMemo(() => {
    const taken = new Set(Object.values(own));
    return actions.map((action) => {
      const keys = own[action.id];
      if (keys !== undefined) return { ...action, keys };
      if (action.keys === undefined || !taken.has(action.keys)) return action;
      const { keys: _, ...without } = action;
      return without;
    });
  }, [actions, own]);
}
