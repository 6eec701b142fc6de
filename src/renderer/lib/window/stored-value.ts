import { useSyncExternalStore } from 'react';

/** A small value that survives a restart of the window, shared by all who use it. */
export interface Stored<T> {
  readonly key: string;
  readonly get: () => T;
  readonly set: (value: T) => void;
  /** Takes over what another window has kept. */
  readonly readAgain: () => void;
  readonly subscribe: (listener: () => void) => () => void;
}

/** `read` gets what was kept (or null) and answers a good value whatever that is. Without storage it lasts for this page. */
export function createStored<T>(key: string, read: (kept: string | null) => T, write: (value: T) => string): Stored<T> {
  const listeners = new Set<() => void>();
  let value = read(readStoredText(key));
  const take = (next: T): void => {
    value = next;
    for (const listener of listeners) listener();
  };
  return {
    key,
    get: () => value,
    set: (next) => {
      writeStoredText(key, write(next));
      take(next);
    },
    readAgain: () => take(read(readStoredText(key))),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export function useStored<T>(stored: Stored<T>): readonly [T, (value: T) => void] {
  return [useSyncExternalStore(stored.subscribe, stored.get), stored.set];
}

export function readStoredText(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    // Storage can be switched off; then nothing is kept.
    return null;
  }
}

/** Keeps a text, or forgets it where it is empty. */
export function writeStoredText(key: string, text: string): void {
  try {
    if (text === '') localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // Full or switched off: the value lasts for this page.
  }
}
