interface Cleaned {
  readonly pieces: readonly string[];
  readonly ends: readonly number[];
  readonly bytes: Buffer;
}

/**
 * Encodes a text in pieces to bytes, where each text mostly extends the one before. Leading pieces that equal those of
 * the last call are neither cleaned nor encoded again. `clean` is applied to each piece by itself. If `version` returns
 * a new number, `clean` finds other things, so the cache is dropped. Keeps the bytes of one text.
 */
export function createGrowingText(
  clean: (piece: string) => string,
  version: () => number = () => 0,
): (pieces: readonly string[]) => Buffer {
  const nothing: Cleaned = { pieces: [], ends: [], bytes: Buffer.alloc(0) };
  let last = nothing;
  let lastVersion = version();
  return (pieces) => {
    if (version() !== lastVersion) last = nothing;
    lastVersion = version();
    let same = 0;
    while (same < pieces.length && pieces[same] === last.pieces[same]) same += 1;
    const ends = last.ends.slice(0, same);
    let end = ends.at(-1) ?? 0;
    const parts = [last.bytes.subarray(0, end)];
    for (const piece of pieces.slice(same)) {
      const part = Buffer.from(clean(piece), 'utf8');
      parts.push(part);
      end += part.length;
      ends.push(end);
    }
    const bytes = Buffer.concat(parts, end);
    // A text in a single piece does not grow, so it must not displace one that does.
    if (pieces.length > 1) last = { pieces, ends, bytes };
    return bytes;
  };
}
