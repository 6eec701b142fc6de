/** A queue of items that one side pushes and exactly one reader iterates. */
export interface EventChannel<T> extends AsyncIterable<T> {
  push(item: T): void;
  /** Ends the queue. Items that were pushed before are still read. */
  close(): void;
}

export function createEventChannel<T>(): EventChannel<T> {
  const items: T[] = [];
  let closed = false;
  let wake: (() => void) | null = null;
  const signal = (): void => {
    wake?.();
    wake = null;
  };
  return {
    push(item) {
      if (closed) return;
      items.push(item);
      signal();
    },
    close() {
      closed = true;
      signal();
    },
    async *[Symbol.asyncIterator]() {
      while (true) {
        const item = items.shift();
        if (item !== undefined) {
          yield item;
          continue;
        }
        if (closed) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
