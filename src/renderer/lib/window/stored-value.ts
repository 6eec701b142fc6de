import { createSharedValue, type SharedValue, useSharedValue } from './shared-value.ts';

/** A small value that survives a restart of the window, shared by all its users. */
export interface StoredValue<T> extends SharedValue<T> {
  readonly key: string;
  /** Takes over the value that another window has stored. */
  readonly readAgain: () => void;
}

/**
 * `read` gets the stored text (or null) and must return a valid value for any text. Without storage, the value lasts
 * for this page.
 */
export function createStoredValue<T>(
  key: string,
  read: (kept: string | null) => T,
  write: (value: T) => string,
): StoredValue<T> {
  const value = createSharedValue(read(readStoredText(key)));
  return {
    ...value,
    key,
    set: (next) => {
      writeStoredText(key, write(next));
      value.set(next);
    },
    readAgain: () => value.set(read(readStoredText(key))),
  };
}

export function useStoredValue<T>(stored: StoredValue<T>): readonly [T, (value: T) => void] {
  return [useSharedValue(stored), stored.set];
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
