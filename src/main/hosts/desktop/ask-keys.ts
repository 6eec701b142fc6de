/** Shortcuts that work system-wide. Tests replace them. */
export interface SystemKeys {
  /** False if another program uses the keys. Throws for invalid keys. */
  readonly register: (keys: string, run: () => void) => boolean;
  readonly unregister: (keys: string) => void;
}

export interface AskKeys {
  /** Null: no shortcut. */
  readonly set: (keys: string | null) => void;
}

/** The system-wide shortcut for a new task. The old keys are released first, so that two are never registered. */
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
      // Settings are read repeatedly, and a refusal is reported only once.
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
