import type { SessionState } from '@shared/session/session-state.ts';
import type { InspectorTab } from '../../lib/window/preferences.ts';

export interface ComposerProps {
  readonly sessionId: string;
  readonly state: SessionState;
  /** A message was sent, so the view scrolls to the end. */
  readonly onSent: () => void;
  /** `/diff`, `/cost` and `/route` open tabs of the inspector. */
  readonly onInspect: (tab: InspectorTab) => void;
  readonly onHelp: () => void;
}

/** The answer to a command, or why a message was not sent. */
export interface ComposerNote {
  readonly kind: 'info' | 'error';
  readonly text: string;
}
