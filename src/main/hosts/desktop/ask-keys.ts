/** Keys that the system gives to the app wherever the person is. Tests put others in their place. */
export interface SystemKeys {
  /** False where another program has them. Throws for what are no keys. */
  readonly register: (keys: string, run: () => void) => boolean;
  readonly unregister: (keys: string) => void;
}

export interface AskKeys {
  /** Null: none. */
  readonly set: (keys: string | null) => void;
}

/** The keys that ask from anywhere. The ones from before are given back first, so that two are never taken. */
export function createAskKeys(system: SystemKeys, onAsk: () => void, onRefused: (keys: string) => void): AskKeys {
  let held: string | null = null;
  let wanted: string | null = null;
  const take = (keys: string): boolean => {
    try {
      return system.register(keys, onAsk);
    } catch {
      return false;
    }
  };
  return {
    set: (keys) => {
      // Settings are read again and again: what could not be had is said once.
      if (keys === wanted) return;
      wanted = keys;
      if (held !== null) system.unregister(held);
      held = null;
      if (keys === null) return;
      if (take(keys)) held = keys;
      else onRefused(keys);
    },
  };
}
