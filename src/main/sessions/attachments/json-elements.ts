const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/**
 * The objects of a JSON array, each as its own text, from the chunks of a file that may be far larger than memory. A
 * single object counts as one. Null: an object of more than `mostBytes`, or one without an end. Any other file yields
 * nothing.
 */
export async function* jsonElements(
  pieces: AsyncIterable<Uint8Array>,
  mostBytes: number,
): AsyncGenerator<string | null> {
  const scanner = createScanner(mostBytes);
  for await (const piece of pieces) {
    yield* scanner.read(piece);
    if (scanner.isOver()) return;
  }
  if (scanner.isInside()) yield null;
}

function createScanner(mostBytes: number) {
  let isArray: boolean | null = null;
  let isOver = false;
  let depth = 0;
  let isString = false;
  let isEscaped = false;
  let parts: Uint8Array[] = [];
  let size = 0;
  let isCollecting = false;
  const keep = (part: Uint8Array): void => {
    size += part.length;
    if (size <= mostBytes) parts.push(part);
    else parts = [];
  };
  /** The text of the object. Null if it was too large. */
  const end = (part: Uint8Array): string | null => {
    keep(part);
    const text = size <= mostBytes ? Buffer.concat(parts).toString('utf8') : null;
    parts = [];
    size = 0;
    isCollecting = false;
    return text;
  };
  function* read(piece: Uint8Array): Generator<string | null> {
    let start = 0;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at] ?? 0;
      if (isString) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) isString = false;
        continue;
      }
      if (isArray === null) {
        if (byte !== openBracket && byte !== openBrace) {
          // Only white space and a UTF-8 byte order mark may come before it.
          isOver = byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf;
          if (isOver) return;
          continue;
        }
        isArray = byte === openBracket;
        if (isArray) continue;
      }
      if (byte === quote) isString = true;
      else if (byte === openBrace || byte === openBracket) {
        if (depth === 0 && byte === openBrace) {
          isCollecting = true;
          start = at;
        }
        depth += 1;
      } else if (byte === closeBrace || byte === closeBracket) {
        depth -= 1;
        if (depth === 0 && isCollecting) yield end(piece.subarray(start, at + 1));
        isOver = depth < 0 || (depth === 0 && !isArray);
        if (isOver) return;
      }
    }
    if (isCollecting) keep(piece.subarray(start));
  }
  return { read, isOver: () => isOver, isInside: () => isCollecting };
}
