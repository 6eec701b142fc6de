import { useLayoutEffect } from 'react';

/** An action that is available everywhere: in the palette, and by its shortcut. */
export interface Action {
  readonly id: string;
  readonly label: string;
  /** `Mod+K`: Mod is Command on a Mac and Control elsewhere. */
  readonly keys?: string;
  /** The action is not available at the moment. */
  readonly isOff?: boolean;
  readonly run: () => void;
}

const isMac = navigator.platform.startsWith('Mac');

/** A shortcut as the keyboard's labels show it. */
export function keysText(keys: string): string {
  return isMac ? keys.replace('Mod+', '⌘').replace('Shift+', '⇧') : keys.replace('Mod', 'Ctrl');
}

/** Runs the action whose shortcut is pressed, wherever the focus is. A window that is drawn listens. */
export function useActionKeys(actions: readonly Action[]): void {
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented) return;
      const pressed = pressedKeys(event);
      const action = actions.find(({ keys, isOff = false }) => keys === pressed && !isOff);
      if (action === undefined) return;
      event.preventDefault();
      action.run();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [actions]);
}

export function pressedKeys(event: KeyboardEvent): string | null {
  if (!(isMac ? event.metaKey : event.ctrlKey) || event.altKey) return null;
  return `Mod+${event.shiftKey ? 'Shift+' : ''}${event.key.length === 1 ? event.key.toUpperCase() : event.key}`;
}
