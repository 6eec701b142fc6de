import type { KeyboardEvent } from 'react';
import { useEffect, useState } from 'react';
import { useStableCallback } from '../drawing/use-stable-callback.ts';
import { t } from '../text/translate.ts';
import type { PreviewedFiles } from './use-attachment-preview.ts';
import { saysSomething } from './use-attachment-preview.ts';

export interface HeldSend {
  /** It will be sent as soon as its preview is loaded. */
  readonly isWaiting: boolean;
  /** The message about the wait; null: none. */
  readonly note: string | null;
  /** Sends at once, or when the preview is loaded. */
  readonly send: () => void;
  /** For the field: Escape cancels the sending. True: the key was handled. */
  readonly onKeyDown: (event: KeyboardEvent) => boolean;
}

interface Held {
  readonly text: string;
  readonly files: PreviewedFiles;
  readonly go: () => void;
}

/**
 * Sends a message once the preview of its files is loaded, unless there is something to tell first. Typing on, or
 * Escape, cancels it.
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
