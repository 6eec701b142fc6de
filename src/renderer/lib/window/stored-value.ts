import { createSharedValue, type SharedValue, useSharedValue } from './shared-value.ts';

/** A small value that survives a restart of the window, shared by all who use it. */
export interface Stored<T> extends SharedValue<T> {
  readonly key: string;
  /** Takes over what another window has kept. */
  readonly readAgain: () => void;
}

/** `read` gets what was kept (or null) and answers a good value whatever that is. Without storage it lasts for this page. */
export function createStored<T>(key: string, read: (kept: string | null) => T, write: (value: T) => string): Stored<T> {
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

export function useStored<T>(stored: Stored<T>): readonly [T, (value: T) => void] {
  return [useSharedValue(stored), stored.set];
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
