/** Reads lines and a given number of bytes from a stream. Rejects with the stream's error. */
export interface ByteReader {
  /** Without its line break. Null at the end. Throws if there is no line break within `maxBytes`. */
  line(maxBytes: number): Promise<Buffer | null>;
  /** Exactly this many bytes. Null if there are fewer. */
  take(bytes: number): Promise<Buffer | null>;
}

export function createByteReader(stream: AsyncIterable<Buffer>): ByteReader {
  const chunks = stream[Symbol.asyncIterator]();
  let held: Buffer[] = [];
  let heldBytes = 0;
  const more = async (): Promise<boolean> => {
    const next = await chunks.next();
    if (next.done === true) return false;
    held.push(next.value);
    heldBytes += next.value.length;
    return true;
  };
  const give = (bytes: number): Buffer => {
    const all = held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held, heldBytes);
    const rest = all.subarray(bytes);
    held = rest.length === 0 ? [] : [rest];
    heldBytes = rest.length;
    return all.subarray(0, bytes);
  };
  /** Searches only the bytes that came since the last search. */
  const findBreak = async (maxBytes: number): Promise<number | null> => {
    let before = 0;
    for (let index = 0; ; index += 1) {
      if (index === held.length && !(await more())) return null;
      const at = held[index]?.indexOf(0x0a) ?? -1;
      if (at >= 0) return before + at;
      before += held[index]?.length ?? 0;
      if (before > maxBytes) throw new Error('a line is longer than any of it may be');
    }
  };
  return {
    line: async (maxBytes) => {
      const at = await findBreak(maxBytes);
      return at === null ? null : give(at + 1).subarray(0, at);
    },
    take: async (bytes) => {
      while (heldBytes < bytes) if (!(await more())) return null;
      return give(bytes);
    },
  };
}
