import { useState } from 'react';

const key = 'dewpoint-session';

/** Which session is shown; kept for reloads of this window or tab. */
export function useSelectedSession(): readonly [string | null, (sessionId: string | null) => void] {
  const [selectedId, setSelectedId] = useState(() => sessionStorage.getItem(key));
  const select = (sessionId: string | null): void => {
    setSelectedId(sessionId);
    if (sessionId === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, sessionId);
  };
  return [selectedId, select];
}
