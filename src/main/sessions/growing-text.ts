/**
 * Turns a text in pieces into bytes, where each text is mostly the one before and something more: what the pieces at
 * the beginning have in common with the last ones is neither looked through nor encoded again. `clean` is applied to
 * each piece by itself. Keeps the bytes of one text.
 */
export function createGrowingText(clean: (piece: string) => string): (pieces: readonly string[]) => Buffer {
  let last: { readonly pieces: readonly string[]; readonly ends: readonly number[]; readonly bytes: Buffer } = {
    pieces: [],
    ends: [],
    bytes: Buffer.alloc(0),
  };
  return (pieces) => {
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
