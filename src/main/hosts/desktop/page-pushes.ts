import type { HostPush } from '@shared/contract/host-contract.ts';
import { createPushQueue } from '../../lib/async/push-queue.ts';

/** What happens around the page, on its way into it. */
export interface PagePushes {
  readonly push: (item: HostPush) => void;
  /** For one page; ends with its signal. What came before any page listened is given to the first. */
  readonly stream: (signal: AbortSignal) => AsyncGenerator<HostPush>;
}

export function createPagePushes(): PagePushes {
  const readers = new Set<(item: HostPush) => void>();
  const early: HostPush[] = [];
  return {
    push: (item) => {
      if (readers.size === 0) early.push(item);
      for (const read of readers) read(item);
    },
    stream: async function* stream(signal) {
      const queue = createPushQueue<HostPush>(signal, Number.POSITIVE_INFINITY);
      const read = (item: HostPush): void => void queue.push(item);
      readers.add(read);
      for (const item of early.splice(0)) read(item);
      try {
        for (let items = await queue.take(); items !== null; items = await queue.take()) yield* items;
      } finally {
        readers.delete(read);
        queue.end();
      }
    },
  };
}
