import { useSyncExternalStore } from 'react';

/** A small value that survives a restart of the window, shared by all its users. */
export interface Stored<T> {
  readonly key: string;
  readonly get: () => T;
  readonly set: (value: T) => void;
  /** Takes over the value that another window has stored. */
  readonly readAgain: () => void;
  readonly subscribe: (listener: () => void) => () => void;
}

/**
 * `read` gets the stored text (or null) and must return a valid value for any text. Without storage, the value lasts
 * for this page.
 */
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
    // Storage can be switched off. Then nothing is stored.
    return null;
  }
}

/** Stores a text, or removes it if it is empty. */
export function writeStoredText(key: string, text: string): void {
  try {
    if (text === '') localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // Storage is full or switched off, so the value lasts for this page.
  }
}
