/**
 * Keeps the head and the tail of a stream of bytes. Uses less than about twice `keepBytes` of memory, however much
 * comes.
 */
export interface KeptOutput {
  push(bytes: Uint8Array): void;
  /** The number of all bytes so far. */
  readonly totalBytes: number;
  /** The kept bytes as text. If bytes were dropped, a line in the middle says how many. */
  text(): string;
}

export function keepOutput(keepBytes: number): KeptOutput {
  const headLimit = Math.ceil(keepBytes / 2);
  const tailLimit = Math.max(0, keepBytes - headLimit);
  const head: Uint8Array[] = [];
  let headBytes = 0;
  let tail: Uint8Array[] = [];
  let tailBytes = 0;
  let totalBytes = 0;
  // Chunks are slices of large socket buffers, which a copy releases. The tail is cut when it has twice the wanted
  // size.
  const pushTail = (bytes: Uint8Array): void => {
    tail.push(Uint8Array.from(bytes.subarray(Math.max(0, bytes.length - tailLimit))));
    tailBytes += tail.at(-1)?.length ?? 0;
    if (tailBytes <= tailLimit * 2 && tail.length < 4096) return;
    const whole = Buffer.concat(tail);
    tail = [Uint8Array.from(whole.subarray(Math.max(0, whole.length - tailLimit)))];
    tailBytes = tail[0]?.length ?? 0;
  };
  return {
    push(bytes) {
      totalBytes += bytes.length;
      const toHead = Math.min(bytes.length, headLimit - headBytes);
      if (toHead > 0) {
        head.push(Uint8Array.from(bytes.subarray(0, toHead)));
        headBytes += toHead;
      }
      if (toHead < bytes.length) pushTail(bytes.subarray(toHead));
    },
    get totalBytes() {
      return totalBytes;
    },
    text() {
      const first = Buffer.concat(head);
      const rest = Buffer.concat(tail);
      const last = rest.subarray(Math.max(0, rest.length - tailLimit));
      const dropped = totalBytes - first.length - last.length;
      if (dropped <= 0) return Buffer.concat([first, last]).toString();
      return `${textOfHead(first)}\n[… ${dropped} bytes left out …]\n${textOfTail(last)}`;
    },
  };
}

/** Keeps only the end of a stream of bytes that may never end. Uses less than about twice `keepBytes` of memory. */
export interface KeptTail {
  push(bytes: Uint8Array): void;
  readonly totalBytes: number;
  /** The kept text, from the start of a character. If there was more, a line before it says so. */
  text(): string;
}

export function keepTail(keepBytes: number): KeptTail {
  let kept: Buffer = Buffer.alloc(0);
  let totalBytes = 0;
  return {
    push(bytes) {
      totalBytes += bytes.length;
      kept = Buffer.concat([kept, bytes.subarray(Math.max(0, bytes.length - keepBytes))]);
      if (kept.length > keepBytes * 2) kept = Buffer.from(kept.subarray(kept.length - keepBytes));
    },
    get totalBytes() {
      return totalBytes;
    },
    text() {
      const last = kept.subarray(Math.max(0, kept.length - keepBytes));
      const dropped = totalBytes - last.length;
      return dropped === 0 ? last.toString() : `[… ${dropped} bytes before this …]\n${textOfTail(last)}`;
    },
  };
}

// A cut may be inside a character. Its bytes on either side are dropped, and not shown as damage.
function textOfHead(bytes: Buffer): string {
  let end = bytes.length;
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc0) {
      const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      if (wanted > back) end = bytes.length - back;
      break;
    }
  }
  return bytes.subarray(0, end).toString();
}

function textOfTail(bytes: Buffer): string {
  let start = 0;
  while (start < Math.min(4, bytes.length) && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start).toString();
}
