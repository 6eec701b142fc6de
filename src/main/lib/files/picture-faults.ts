import { ascii, jpegFrameAt, readImageFacts, viewOf } from './image-facts.ts';

/**
 * Why models would not see a picture as people do, by its bytes: what is wrong, and what to do. Null: they would, or it
 * is no picture.
 */
export function pictureFault(name: string, bytes: Uint8Array): string | null {
  const facts = readImageFacts(bytes);
  if (facts === null) {
    const kind = otherKind(bytes);
    return kind === null ? null : `${name} is a picture of the kind ${kind}, which models do not take. ${saveAgain}`;
  }
  switch (facts.mediaType) {
    case 'image/png':
      return endsIn(bytes, 'IEND') ? null : cutText(name);
    case 'image/jpeg':
      if (!hasEnd(bytes)) return cutText(name);
      return hasPrintColors(bytes)
        ? `${name} has the colors of a printer (CMYK), which many models see wrong. ${saveAgain}`
        : null;
    case 'image/webp':
      if (viewOf(bytes).getUint32(4, true) + 8 > bytes.length) return cutText(name);
      return isMoving(bytes) ? `${name} moves, and models take only still pictures. ${saveAgain}` : null;
    case 'image/gif':
      return null;
    default:
      return facts.mediaType satisfies never;
  }
}

const saveAgain = 'Save it as PNG or as a usual JPEG (RGB), and attach that.';

function cutText(name: string): string {
  return `The end of ${name} is missing, so it cannot be drawn. Get the whole file, and attach that.`;
}

/** Kinds that cameras, phones and browsers write, by the name that people know. */
function otherKind(bytes: Uint8Array): string | null {
  if (ascii(bytes, 4, 8) === 'ftyp') {
    const brands = ascii(bytes, 8, 40);
    if (/avi[fs]/u.test(brands)) return 'AVIF';
    return /hei[cxms]|hev[cxms]|mif1|msf1/u.test(brands) ? 'HEIC' : null;
  }
  const start = ascii(bytes, 0, 4);
  if (start === 'II*\0' || start === 'MM\0*') return 'TIFF';
  if (ascii(bytes, 0, 2) === 'BM' && bytes.length > 26 && viewOf(bytes).getUint32(2, true) === bytes.length)
    return 'BMP';
  const isXl = (bytes[0] === 0xff && bytes[1] === 0x0a) || ascii(bytes, 4, 8) === 'JXL ';
  return isXl ? 'JPEG XL' : null;
}

/** The last chunk of a PNG is its end. Some programs write more after it. */
function endsIn(bytes: Uint8Array, last: string): boolean {
  const view = viewOf(bytes);
  let at = 8;
  while (at + 12 <= bytes.length) {
    if (ascii(bytes, at + 4, at + 8) === last) return true;
    at += 12 + view.getUint32(at);
  }
  return false;
}

/** The mark of a JPEG's end. Cameras write more after it. */
function hasEnd(bytes: Uint8Array): boolean {
  for (let at = bytes.length - 2; at > 0; at -= 1) if (bytes[at] === 0xff && bytes[at + 1] === 0xd9) return true;
  return false;
}

/** A frame of four colors. */
function hasPrintColors(bytes: Uint8Array): boolean {
  const at = jpegFrameAt(bytes);
  return at !== null && bytes[at + 9] === 4;
}

/** The header of an extended WebP says so by one bit. */
function isMoving(bytes: Uint8Array): boolean {
  return ascii(bytes, 12, 16) === 'VP8X' && ((bytes[20] ?? 0) & 0b10) !== 0;
}
