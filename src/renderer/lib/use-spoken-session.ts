import { useEffect, useRef } from 'react';
import type { SessionState } from '@shared/session-state.ts';
import { hush, speak } from './speak.ts';
import { spokenBetween } from './spoken-session.ts';

/** Says what happens in the session that is shown, for as long as it is. */
export function useSpokenSession(state: SessionState): void {
  const before = useRef<SessionState | null>(null);
  useEffect(
    () => () => {
      before.current = null;
      hush();
    },
    [],
  );
  useEffect(() => {
    for (const said of spokenBetween(before.current, state)) speak(said);
    before.current = state;
  }, [state]);
}
