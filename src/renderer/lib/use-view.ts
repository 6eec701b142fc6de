import { useCallback, useState } from 'react';

/** What the middle of the window shows. */
export type View =
  | { readonly type: 'new' }
  /** `at`: a place in it that is to be looked at, by the id of a message, call or turn, and the event it stands in. */
  | {
      readonly type: 'session';
      readonly sessionId: string;
      readonly at?: { readonly ref: string; readonly seq?: number };
    }
  | { readonly type: 'bin' }
  | { readonly type: 'models' }
  /** `task`: one to begin with. */
  | { readonly type: 'compare'; readonly task?: { readonly text: string; readonly project: string | null } }
  | { readonly type: 'costs' }
  | { readonly type: 'settings' };

const key = 'dewpoint-view';
const sessionPrefix = 'session:';

/** Kept for reloads of this window or tab. */
export function useView(): readonly [View, (view: View) => void] {
  const [view, setView] = useState(() => parse(sessionStorage.getItem(key)));
  const show = useCallback((next: View): void => {
    setView(next);
    sessionStorage.setItem(key, next.type === 'session' ? sessionPrefix + next.sessionId : next.type);
  }, []);
  return [view, show];
}

function parse(kept: string | null): View {
  if (kept?.startsWith(sessionPrefix) === true) return { type: 'session', sessionId: kept.slice(sessionPrefix.length) };
  const others = ['models', 'compare', 'costs', 'settings', 'bin'] as const;
  return { type: others.find((type) => type === kept) ?? 'new' };
}
