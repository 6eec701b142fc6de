import { useEffect } from 'react';
import { useStableCallback } from '../drawing/use-stable-callback.ts';

/**
 * A button that disappears with its purpose, such as Stop, loses the focus. Then `focus` moves the focus on. Checked
 * each time `state` changes.
 */
export function useFocusKept(state: unknown, focus: () => void): void {
  const give = useStableCallback(focus);
  useEffect(() => {
    // Selected text stays selected.
    const isSelecting = window.getSelection()?.isCollapsed === false;
    if (document.activeElement === document.body && !isSelecting) give();
  }, [state, give]);
}
