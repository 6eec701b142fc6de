import { createContext, useContext } from 'react';
import type { Action } from '../input/actions.ts';
import type { View } from './use-view.ts';

/** How anything in the page goes to another view. */
export const NavigationContext = createContext<(view: View) => void>(() => undefined);

export function useNavigate(): (view: View) => void {
  return useContext(NavigationContext);
}

/** Everything that can be done from anywhere, as it stands now. */
export const ActionsContext = createContext<readonly Action[]>([]);

/** What does an action, by its id; null where there is nothing to do it with. */
export function useActionOf(): (id: string) => (() => void) | null {
  const actions = useContext(ActionsContext);
  return (id) => actions.find((action) => action.id === id && action.isOff !== true)?.run ?? null;
}
