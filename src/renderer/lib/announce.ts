import { useSyncExternalStore } from 'react';

/** Something that was done, or was not, and what can be done about it. */
export interface Announcement {
  readonly kind: 'info' | 'error';
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

let current: Announcement | null = null;
const listeners = new Set<() => void>();

/** Shown until the next one comes or it is closed: nothing goes away while somebody reads it. */
export function announce(announcement: Announcement | null): void {
  current = announcement;
  for (const listener of listeners) listener();
}

export function useAnnouncement(): Announcement | null {
  return useSyncExternalStore(subscribe, () => current);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
