interface Cleaned {
  readonly pieces: readonly string[];
  readonly ends: readonly number[];
  readonly bytes: Buffer;
}

/**
 * Turns a text in pieces into bytes, where each text is mostly the one before and something more: what the pieces at
 * the beginning have in common with the last ones is neither looked through nor encoded again. `clean` is applied to
 * each piece by itself; when `version` gives another number than before, it finds other things, and nothing that it
 * went through is kept. Keeps the bytes of one text.
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
    // A text in one piece does not grow, and must not push out one that does.
    if (pieces.length > 1) last = { pieces, ends, bytes };
    return bytes;
  };
}
