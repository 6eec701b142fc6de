/** Adds up the allocations that the engine prints. */
export interface BufferCount {
  readonly hear: (line: string) => void;
  /** Forgets the buffers of the last context, because it is created again. */
  readonly anotherContext: () => void;
  /** Bytes of weights, adapter, cells, states and compute buffers. Null if some of them were not printed. */
  readonly total: () => Promise<number | null>;
}

const mebi = 1024 * 1024;
/**
 * Leaves out copies of weights in a layout for the processor. Which weights are copied depends on the processor: its
 * AVX2, AVX-512 or AMX. The file's pages that they were made from are not used again.
 */
const line = /(?<!(?:REPACK|AMX|KLEIDIAI) )(model|LoRA|KV|RS|compute|output) buffer size\s*=\s*([\d.]+) MiB/gu;
const needed = ['model', 'KV', 'compute'] as const;
const waitMs = 20;
const mostWaits = 50;

/** `hasAdapter`: the load has an adapter, whose buffer the engine prints last, after the context's. */
export function createBufferCount({ hasAdapter }: { readonly hasAdapter: boolean }): BufferCount {
  const mib = new Map<string, number>();
  const hasAll = (): boolean =>
    (needed.every((kind) => mib.has(kind)) || (mib.has('RS') && mib.has('compute'))) &&
    (mib.has('LoRA') || !hasAdapter);
  return {
    hear: (text) => {
      for (const [, kind = '', size] of text.matchAll(line)) mib.set(kind, (mib.get(kind) ?? 0) + Number(size));
    },
    anotherContext: () => {
      for (const kind of mib.keys()) if (kind !== 'model' && kind !== 'LoRA') mib.delete(kind);
    },
    total: async () => {
      // The engine prints from its own thread. What is missing comes within a moment, or never.
      for (let waits = 0; waits < mostWaits && !hasAll(); waits += 1)
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      if (!hasAll()) return null;
      return Math.round([...mib.values()].reduce((sum, value) => sum + value, 0) * mebi);
    },
  };
}
