import type { KeyboardEvent } from 'react';
import { useEffect, useState } from 'react';
import { useStableCallback } from '../drawing/use-stable-callback.ts';
import { t } from '../text/translate.ts';
import type { PreviewedFiles } from './use-attachment-preview.ts';
import { saysSomething } from './use-attachment-preview.ts';

export interface HeldSend {
  /** It is sent as soon as it is known what a model would get of its files. */
  readonly isWaiting: boolean;
  /** What there is to say of that; null: nothing. */
  readonly note: string | null;
  /** At once, or when its files are looked up. */
  readonly send: () => void;
  /** Of the field: Escape takes the wish back. True: the key was for that. */
  readonly onKeyDown: (event: KeyboardEvent) => boolean;
}

interface Held {
  readonly text: string;
  readonly files: PreviewedFiles;
  readonly go: () => void;
}

/**
 * A message that is sent while its files are looked up goes by itself when they are, except where there is something to
 * know of them first. To type on takes the wish back, as Escape does.
 */
export function useHeldSend({ text, files, go }: Held): HeldSend {
  const [asked, setAsked] = useState<string | null>(null);
  const [stopped, setStopped] = useState<string | null>(null);
  const [goes, setGoes] = useState(0);
  const goNow = useStableCallback(go);
  const isWaiting = asked === text;
  if (asked !== null && !isWaiting) setAsked(null);
  if (stopped !== null && stopped !== text) setStopped(null);
  if (isWaiting && !files.isPending) {
    setAsked(null);
    if (saysSomething(files)) setStopped(text);
    else setGoes(goes + 1);
  }
  useEffect(() => {
    if (goes > 0) goNow();
  }, [goes, goNow]);
  return {
    isWaiting,
    note: isWaiting ? t('attach.waiting') : stopped === text && !files.isHeld ? t('attach.readFirst') : null,
    send: () => {
      setStopped(null);
      if (files.isPending) setAsked(text);
      else if (!files.isHeld) goNow();
    },
    onKeyDown: (event) => {
      if (event.key !== 'Escape' || !isWaiting) return false;
      event.preventDefault();
      setAsked(null);
      return true;
    },
  };
}
