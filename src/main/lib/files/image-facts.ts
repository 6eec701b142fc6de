import type { z } from 'zod';
import type { imageTypeSchema } from '@shared/models/model-messages.ts';

/** The kind and size of an image, read from its bytes. */
export interface ImageFacts {
  readonly mediaType: z.infer<typeof imageTypeSchema>;
  readonly width: number;
  readonly height: number;
}

/** Reads the first bytes and ignores the name. Null for a broken image, or a kind that models do not take. */
export function readImageFacts(bytes: Uint8Array): ImageFacts | null {
  const facts = png(bytes) ?? gif(bytes) ?? webp(bytes) ?? jpeg(bytes);
  return facts === null || facts.width === 0 || facts.height === 0 ? null : facts;
}

/** The media type of a picture that the page can draw, including SVG, read from its bytes. Null when it is none. */
export function pictureTypeOf(bytes: Uint8Array): string | null {
  const facts = readImageFacts(bytes);
  if (facts !== null) return facts.mediaType;
  return /<svg[\s>]/iu.test(String.fromCharCode(...bytes.subarray(0, 4096))) ? 'image/svg+xml' : null;
}

function png(bytes: Uint8Array): ImageFacts | null {
  if (!startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) || bytes.length < 24) return null;
  const view = viewOf(bytes);
  return { mediaType: 'image/png', width: view.getUint32(16), height: view.getUint32(20) };
}

function gif(bytes: Uint8Array): ImageFacts | null {
  if (!startsWith(bytes, [0x47, 0x49, 0x46, 0x38]) || bytes.length < 10) return null;
  const view = viewOf(bytes);
  return { mediaType: 'image/gif', width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

function webp(bytes: Uint8Array): ImageFacts | null {
  if (ascii(bytes, 0, 4) !== 'RIFF' || ascii(bytes, 8, 12) !== 'WEBP' || bytes.length < 30) return null;
  const view = viewOf(bytes);
  const size = (width: number, height: number): ImageFacts => ({ mediaType: 'image/webp', width, height });
  switch (ascii(bytes, 12, 16)) {
    case 'VP8 ':
      return size(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
    case 'VP8L': {
      const bits = view.getUint32(21, true);
      return size((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
    }
    case 'VP8X':
      return size((view.getUint32(24, true) & 0xffffff) + 1, (view.getUint32(26, true) >>> 8) + 1);
    default:
      return null;
  }
}

/** The size is in the first frame header. */
function jpeg(bytes: Uint8Array): ImageFacts | null {
  const at = jpegFrameAt(bytes);
  if (at === null) return null;
  const view = viewOf(bytes);
  return { mediaType: 'image/jpeg', width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
}

/** Where the first frame header of a JPEG begins. The segments before it are skipped. */
export function jpegFrameAt(bytes: Uint8Array): number | null {
  if (!startsWith(bytes, [0xff, 0xd8, 0xff])) return null;
  const view = viewOf(bytes);
  let at = 2;
  while (at + 9 < bytes.length) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (isFrame(marker)) return at;
    at += 2 + (isAlone(marker) ? 0 : view.getUint16(at + 2));
  }
  return null;
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function isAlone(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}

function startsWith(bytes: Uint8Array, head: readonly number[]): boolean {
  return head.every((byte, index) => bytes[index] === byte);
}

export function ascii(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
