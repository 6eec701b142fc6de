import { useRef, useState } from 'react';
import { writeStoredText, readStoredText } from '../window/stored-value.ts';

/** The text, a function that sets it, and one that removes the sent part and keeps what was typed since then. */
type Draft = readonly [string, (text: string) => void, (sent: string) => void];

/** An unsent text that survives reloads and restarts. `name` must not change while it is used. */
export function useDraft(name: string): Draft {
  const key = `dewpoint-draft:${name}`;
  const [text, setText] = useState(() => readStoredText(key) ?? '');
  // The current text, also for later callbacks: by the time a message is sent, another view may be shown.
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
