import { createContext, useContext } from 'react';
import type { View } from './use-view.ts';

/** How anything in the page goes to another view. */
export const NavigationContext = createContext<(view: View) => void>(() => undefined);

export function useNavigate(): (view: View) => void {
  return useContext(NavigationContext);
}
