import { useRef, useState } from 'react';
import { writeStoredText, readStoredText } from '../window/stored-value.ts';

/** The text, how it is changed, and how what was sent of it is taken away: what was typed since then stays. */
type Draft = readonly [string, (text: string) => void, (sent: string) => void];

/** A text that was begun and not sent; it survives reloads and restarts. `name` must not change while it is used. */
export function useDraft(name: string): Draft {
  const key = `dewpoint-draft:${name}`;
  const [text, setText] = useState(() => readStoredText(key) ?? '');
  // What it is now, also for who asks later: when it was sent another view may be shown.
  const now = useRef(text);
  const set = (next: string): void => {
    now.current = next;
    setText(next);
    writeStoredText(key, next);
  };
  const takeAway = (sent: string): void =>
    set(now.current.startsWith(sent) ? now.current.slice(sent.length) : now.current);
  return [text, set, takeAway];
}
