import { useSyncExternalStore } from 'react';

/** One value for the whole page. Components that use it are drawn again when it changes. */
export interface SharedValue<T> {
  readonly get: () => T;
  readonly set: (value: T) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

export function createSharedValue<T>(initial: T): SharedValue<T> {
  const listeners = new Set<() => void>();
  let value = initial;
  return {
    get: () => value,
    set: (next) => {
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export function useSharedValue<T>({ get, subscribe }: SharedValue<T>): T {
  return useSyncExternalStore(subscribe, get, get);
}

/** Sets the entry for a name, or removes it with null. */
export function setEntry<T>(table: SharedValue<ReadonlyMap<string, T>>, name: string, entry: T | null): void {
  const next = new Map(table.get());
  if (entry === null) next.delete(name);
  else next.set(name, entry);
  table.set(next);
}
