import type { OutputChunk } from '../../sandbox.ts';

export interface FrameParser {
  /** Takes the next bytes of the stream. Passes payload on at once, as views on `bytes`. */
  push(bytes: Uint8Array): void;
  /** True between frames, where the end of the stream loses nothing. */
  readonly atBoundary: boolean;
}

const headerBytes = 8;

/**
 * Reads the engine's multiplexed stream: an eight-byte header (stream number, three zeros, length as big-endian 32
 * bits), then the payload. It copies and keeps only a header that is split, so many tiny frames and one huge frame
 * cost the same. The reader controls back-pressure by pushing only after the last call returned. A stream number
 * above 2 means that the bytes are not multiplexed; everything then counts as stdout.
 */
export function createFrameParser(onChunk: (chunk: OutputChunk) => void): FrameParser {
  const header = Buffer.alloc(headerBytes);
  let headerFilled = 0;
  let payloadLeft = 0;
  let stream: OutputChunk['stream'] = 'stdout';
  let isRaw = false;

  function takeHeader(bytes: Uint8Array): number {
    const count = Math.min(headerBytes - headerFilled, bytes.length);
    header.set(bytes.subarray(0, count), headerFilled);
    headerFilled += count;
    if (headerFilled < headerBytes) return count;
    headerFilled = 0;
    const number = header.readUInt8(0);
    if (number > 2 || header.readUInt32BE(0) % 0x1000000 !== 0) {
      isRaw = true;
      onChunk({ stream: 'stdout', bytes: Uint8Array.from(header) });
      return count;
    }
    stream = number === 2 ? 'stderr' : 'stdout';
    payloadLeft = header.readUInt32BE(4);
    return count;
  }

  return {
    push(bytes) {
      let offset = 0;
      while (offset < bytes.length) {
        if (isRaw) {
          onChunk({ stream: 'stdout', bytes: bytes.subarray(offset) });
          return;
        }
        if (payloadLeft === 0) {
          offset += takeHeader(bytes.subarray(offset));
          continue;
        }
        const count = Math.min(payloadLeft, bytes.length - offset);
        onChunk({ stream, bytes: bytes.subarray(offset, offset + count) });
        payloadLeft -= count;
        offset += count;
      }
    },
    get atBoundary() {
      return isRaw || (payloadLeft === 0 && headerFilled === 0);
    },
  };
}
