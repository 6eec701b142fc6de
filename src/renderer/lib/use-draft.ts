import { useState } from 'react';
import { keep, keptUnder } from './stored.ts';

/** A text that was begun and not sent; it survives reloads and restarts. `name` must not change while it is used. */
export function useDraft(name: string): readonly [string, (text: string) => void] {
  const key = `dewpoint-draft:${name}`;
  const [text, setText] = useState(() => keptUnder(key) ?? '');
  const set = (next: string): void => {
    setText(next);
    keep(key, next);
  };
  return [text, set];
}
