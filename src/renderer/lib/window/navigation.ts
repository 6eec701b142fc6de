import { createContext, useContext } from 'react';
import type { Action } from '../input/actions.ts';
import type { View } from './use-view.ts';

/** Goes to another view, from anywhere in the page. */
export const NavigationContext = createContext<(view: View) => void>(() => undefined);

export function useNavigate(): (view: View) => void {
  return useContext(NavigationContext);
}

/** What opens over the window. It stays when the part that asked for it leaves, as a list does in a narrow window. */
export type WindowDialog =
  | { readonly type: 'palette' }
  | { readonly type: 'new-project' }
  | { readonly type: 'move'; readonly sessionId: string }
  | { readonly type: 'git'; readonly sessionId: string }
  /** `sessionIds`: null: all of a period that the person chooses. `callId`: only this call of the one session. */
  | { readonly type: 'ask-again'; readonly sessionIds: readonly string[] | null; readonly callId?: string };

/** `from`: what gets the focus afterwards, if the dialog cannot give it back, as after an item of a menu. */
export type OpenDialog = (dialog: WindowDialog, from?: HTMLElement | null) => void;

export const DialogContext = createContext<OpenDialog>(() => undefined);

export function useOpenDialog(): OpenDialog {
  return useContext(DialogContext);
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
