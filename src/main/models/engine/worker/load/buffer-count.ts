/** Adds up what the engine says that it allocates, line by line. */
export interface BufferCount {
  readonly hear: (line: string) => void;
  /** A context is made anew: what was said of the one before counts no more. */
  readonly anotherContext: () => void;
  /** Bytes of weights, cells, states and compute buffers; null where it did not say all of it. */
  readonly total: () => Promise<number | null>;
}

const mebi = 1024 * 1024;
/** Copies of weights in a layout of the processor's own: the pages that they were made of are not looked at again. */
const line = /(?<!REPACK )(model|KV|RS|compute|output) buffer size\s*=\s*([\d.]+) MiB/gu;
const needed = ['model', 'KV', 'compute'] as const;
const waitMs = 20;
const mostWaits = 10;

export function createBufferCount(): BufferCount {
  const mib = new Map<string, number>();
  const hasAll = (): boolean => needed.every((kind) => mib.has(kind)) || (mib.has('RS') && mib.has('compute'));
  return {
    hear: (text) => {
      for (const [, kind = '', size] of text.matchAll(line)) mib.set(kind, (mib.get(kind) ?? 0) + Number(size));
    },
    anotherContext: () => {
      for (const kind of mib.keys()) if (kind !== 'model') mib.delete(kind);
    },
    total: async () => {
      // It prints from a thread of its own: what is missing comes within a moment, or never.
      for (let waits = 0; waits < mostWaits && !hasAll(); waits += 1)
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      if (!hasAll()) return null;
      return Math.round([...mib.values()].reduce((sum, value) => sum + value, 0) * mebi);
    },
  };
}
