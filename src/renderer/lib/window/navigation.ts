import { createContext, useContext } from 'react';
import type { Action } from '../input/actions.ts';
import type { View } from './use-view.ts';

/** Goes to another view, from anywhere in the page. */
export const NavigationContext = createContext<(view: View) => void>(() => undefined);

export function useNavigate(): (view: View) => void {
  return useContext(NavigationContext);
}

/** The project whose memory a session was told. Null: it has none. */
export const MemoryOfContext = createContext<string | null>(null);

/** Shows the lines of the memory that a session was told, where they are kept. */
export function useShowMemory(): () => void {
  const navigate = useNavigate();
  const project = useContext(MemoryOfContext);
  return () => navigate({ type: 'settings', at: 'memory', ...(project === null ? {} : { project }) });
}

/** All actions of the window in their current state. */
export const ActionsContext = createContext<readonly Action[]>([]);

/** The function that runs an action, by its id; null when it is not available. */
export function useActionOf(): (id: string) => (() => void) | null {
  const actions = useContext(ActionsContext);
  return (id) => actions.find((action) => action.id === id && action.isOff !== true)?.run ?? null;
}
