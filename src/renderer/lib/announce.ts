import { useSyncExternalStore } from 'react';

/** Something that was done, or was not, and what can be done about it. */
export interface Announcement {
  readonly kind: 'info' | 'error';
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

let current: Announcement | null = null;
let end: ReturnType<typeof setTimeout> | null = null;
const listeners = new Set<() => void>();

/** Long enough to read two lines twice. */
const shownMs = 12_000;

/** Shown until the next one comes or it is closed. What offers nothing to do goes by itself: it lies over other things. */
export function announce(announcement: Announcement | null): void {
  current = announcement;
  if (end !== null) clearTimeout(end);
  const goes = announcement?.kind === 'info' && announcement.action === undefined;
  end = goes ? setTimeout(() => announce(null), shownMs) : null;
  for (const listener of listeners) listener();
}

/** Another view is shown: what was said of the one before goes, but for a way back. What is said of the next one is said after this. */
export function leaveAnnouncement(): void {
  if (current?.action === undefined) announce(null);
}

export function useAnnouncement(): Announcement | null {
  return useSyncExternalStore(subscribe, () => current);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
