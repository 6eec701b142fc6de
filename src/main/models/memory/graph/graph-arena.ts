/** A piece of the compute buffer, in bytes. */
export interface Block {
  readonly offset: number;
  readonly bytes: number;
}

/** Places the tensors of one graph, which share memory over time. */
export interface Arena {
  take(bytes: number): Block;
  give(...blocks: readonly Block[]): void;
  /** The highest end of any block so far. */
  peakBytes(): number;
}

const alignment = 32;
const pad = (bytes: number): number => Math.ceil(bytes / alignment) * alignment;

/**
 * The engine's own allocator (`ggml_dyn_tallocr` of llama.cpp v0.4.0). It takes the smallest hole that is large
 * enough, and room at the end only if there is none. Freed blocks join their neighbors. A plain sum of sizes would
 * miss the holes.
 */
export function createArena(): Arena {
  const holes: { offset: number; bytes: number }[] = [{ offset: 0, bytes: Number.MAX_SAFE_INTEGER }];
  let peak = 0;
  const giveOne = (offset: number, bytes: number): void => {
    const next = holes.findIndex((hole) => hole.offset > offset);
    const index = next === -1 ? holes.length : next;
    const before = holes[index - 1];
    const after = holes[index];
    const joinsAfter = after !== undefined && offset + bytes === after.offset;
    if (before !== undefined && before.offset + before.bytes === offset) {
      before.bytes += bytes;
      if (!joinsAfter) return;
      before.bytes += after.bytes;
      holes.splice(index, 1);
    } else if (joinsAfter) {
      after.offset = offset;
      after.bytes += bytes;
    } else {
      holes.splice(index, 0, { offset, bytes });
    }
  };
  return {
    take(wanted) {
      const bytes = pad(wanted);
      let best = holes.length - 1;
      for (let index = 0; index < holes.length - 1; index += 1) {
        const size = holes[index]?.bytes ?? 0;
        const isBetter = best === holes.length - 1 || size <= (holes[best]?.bytes ?? 0);
        if (size >= bytes && isBetter) best = index;
      }
      const hole = holes[best];
      if (hole === undefined) throw new Error('The room behind everything has no end.');
      const { offset } = hole;
      hole.offset += bytes;
      hole.bytes -= bytes;
      if (hole.bytes === 0) holes.splice(best, 1);
      peak = Math.max(peak, offset + bytes);
      return { offset, bytes };
    },
    give(...blocks) {
      for (const { offset, bytes } of blocks) if (bytes > 0) giveOne(offset, bytes);
    },
    peakBytes: () => peak,
  };
}
