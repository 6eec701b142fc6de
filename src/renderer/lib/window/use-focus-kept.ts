import { useEffect } from 'react';
import { useStableCallback } from '../drawing/use-stable-callback.ts';

/**
 * A button that goes with what it was for, such as Stop, takes the focus with it. Then `focus` says where keys go on,
 * looked at each time `state` is another one.
 */
export function useFocusKept(state: unknown, focus: () => void): void {
  const give = useStableCallback(focus);
  useEffect(() => {
    // Text that is selected stays so.
    const isSelecting = window.getSelection()?.isCollapsed === false;
    if (document.activeElement === document.body && !isSelecting) give();
  }, [state, give]);
}
