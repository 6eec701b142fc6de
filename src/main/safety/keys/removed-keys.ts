import { removedKeyRestoreMs } from '@shared/safety/removed-key.ts';

/** The keys of one provider. The key for this run and the stored key are separate. */
interface RemovedKey {
  readonly thisRun: string | null;
  readonly stored: string | null;
}

export interface RemovedKeys {
  readonly keep: (provider: string, key: RemovedKey) => void;
  readonly take: (provider: string) => RemovedKey | null;
  readonly forget: (provider: string) => void;
  readonly clear: () => void;
}

/** Keys that were removed recently, in memory only. Each expires by itself. */
export function createRemovedKeys(): RemovedKeys {
  const kept = new Map<string, { readonly key: RemovedKey; readonly timer: NodeJS.Timeout }>();
  const take = (provider: string): RemovedKey | null => {
    const found = kept.get(provider);
    if (found === undefined) return null;
    clearTimeout(found.timer);
    kept.delete(provider);
    return found.key;
  };
  return {
    take,
    forget: (provider) => void take(provider),
    keep: (provider, key) => {
      take(provider);
      const timer = setTimeout(() => kept.delete(provider), removedKeyRestoreMs);
      timer.unref();
      kept.set(provider, { key, timer });
    },
    clear: () => {
      for (const { timer } of kept.values()) clearTimeout(timer);
      kept.clear();
    },
  };
}
