/** A queue between something that pushes and one reader that takes everything there is in one go. */
export interface PushQueue<T> {
  /** Resolves when the reader has kept up; a producer that waits for it cannot flood the reader. */
  push(item: T): Promise<void>;
  end(error?: unknown): void;
  /** Everything that waits; waits for at least one. Null at the end or on abort; throws what `end` was given. */
  take(): Promise<readonly T[] | null>;
}

export function createPushQueue<T>(signal: AbortSignal, most: number): PushQueue<T> {
  let items: T[] = [];
  let isEnded = false;
  let failure: unknown = null;
  let wakeReader: (() => void) | null = null;
  let wakeWriters: (() => void)[] = [];
  const wakeAll = (): void => {
    wakeReader?.();
    wakeReader = null;
    for (const wake of wakeWriters) wake();
    wakeWriters = [];
  };
  const end = (error?: unknown): void => {
    if (isEnded) return;
    isEnded = true;
    failure = error ?? null;
    wakeAll();
  };
  if (signal.aborted) end();
  signal.addEventListener('abort', () => end(), { once: true });
  return {
    end,
    push(item) {
      if (isEnded) return Promise.resolve();
      items.push(item);
      wakeReader?.();
      wakeReader = null;
      if (items.length < most) return Promise.resolve();
      return new Promise((resolve) => wakeWriters.push(resolve));
    },
    async take() {
      if (items.length === 0 && !isEnded) {
        await new Promise<void>((resolve) => {
          wakeReader = resolve;
        });
      }
      if (signal.aborted) return null;
      if (items.length === 0) {
        if (failure !== null) throw failure;
        return null;
      }
      const taken = items;
      items = [];
      for (const wake of wakeWriters) wake();
      wakeWriters = [];
      return taken;
    },
  };
}

/** Of all that has come since the reader looked, the last: for one who shows how things stand. */
export async function* latestOf<T>(queue: PushQueue<T>): AsyncGenerator<T> {
  for (let items = await queue.take(); items !== null; items = await queue.take()) {
    const latest = items.at(-1);
    if (latest !== undefined) yield latest;
  }
}
