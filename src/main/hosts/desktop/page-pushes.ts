import type { HostPush } from '@shared/contract/host-contract.ts';
import { createPushQueue } from '../../lib/async/push-queue.ts';

/** Events from outside of the page, on their way to it. */
export interface PagePushes {
  readonly push: (item: HostPush) => void;
  /** The events for one page, until the signal. Events from before any page listened go to the first one. */
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
