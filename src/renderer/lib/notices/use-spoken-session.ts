import { useEffect, useRef } from 'react';
import type { SessionState } from '@shared/session/session-state.ts';
import { clearSpeech, speakToScreenReader } from './screen-reader.ts';
import { spokenChanges } from '../session/spoken-changes.ts';

/** Says what happens in the session that is shown, for as long as it is. */
export function useSpokenSession(state: SessionState): void {
  const before = useRef<SessionState | null>(null);
  useEffect(
    () => () => {
      before.current = null;
      clearSpeech();
    },
    [],
  );
  useEffect(() => {
    for (const said of spokenChanges(before.current, state)) speakToScreenReader(said);
    before.current = state;
  }, [state]);
}
