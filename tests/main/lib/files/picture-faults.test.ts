import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readImageFacts } from '../../../../src/main/lib/files/image-facts.ts';
import { pictureFault } from '../../../../src/main/lib/files/picture-faults.ts';
import { pngFile } from '../../../fakes/png-file.ts';

const text = (words: string): Buffer => Buffer.from(words, 'latin1');
const box = (brand: string): Buffer =>
  Buffer.concat([Buffer.from([0, 0, 0, 32]), text(`ftyp${brand}`), Buffer.alloc(24)]);

/** A JPEG as far as its frame, with so many colors. */
function jpegOf(colors: number, end: readonly number[] = [0xff, 0xd9]): Buffer {
  const frame = [0xff, 0xc0, 0, 8 + 3 * colors, 8, 0, 20, 0, 30, colors];
  const parts = Array.from({ length: colors }, (_, index) => [index + 1, 0x11, 0]).flat();
  return Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, ...frame, ...parts, ...end]);
}

/** An extended WebP with this byte of marks, of which one says that it moves. */
function webpOf(marks: number): Buffer {
  const body = Buffer.concat([text('WEBPVP8X'), Buffer.from([10, 0, 0, 0, marks, 0, 0, 0, 29, 0, 0, 19, 0, 0])]);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(body.length);
  return Buffer.concat([text('RIFF'), size, body]);
}

function deepPng(): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(Buffer.concat([text(type), data])));
    return Buffer.concat([length, text(type), data, sum]);
  };
  const header = Buffer.from([0, 0, 0, 2, 0, 0, 0, 1, 16, 2, 0, 0, 0]);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(13))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

// Catches: a picture that is sent and that a model sees wrong, or cannot see at all.
describe('a picture that models do not see as people do', () => {
  it.each([
    ['shot.avif', box('avif'), 'of the kind AVIF'],
    ['phone.heic', box('heic'), 'of the kind HEIC'],
    ['scan.tif', Buffer.concat([text('II*\0'), Buffer.alloc(40)]), 'of the kind TIFF'],
    ['print.jpg', jpegOf(4), 'colors of a printer (CMYK)'],
    ['party.webp', webpOf(0b10), 'models take only still pictures'],
    ['half.png', pngFile(20, 20).subarray(0, 60), 'The end of half.png is missing'],
    ['half.jpg', jpegOf(3, []), 'The end of half.jpg is missing'],
    ['half.webp', webpOf(0).subarray(0, 30).fill(0xff, 4, 8), 'The end of half.webp is missing'],
  ])('is refused in a sentence that names it and says what to do: %s', (name, bytes, said) => {
    const fault = pictureFault(name, bytes);
    expect(fault).toContain(said);
    expect(fault).toContain(name);
    expect(fault).toMatch(/ attach that\.$/u);
  });
});

describe('a picture that models see', () => {
  it.each([
    ['a PNG', pngFile(20, 20), 'image/png'],
    ['a PNG with more after its end', Buffer.concat([pngFile(20, 20), text('more')]), 'image/png'],
    ['a PNG of 16 bits', deepPng(), 'image/png'],
    ['a usual JPEG', jpegOf(3), 'image/jpeg'],
    ['a gray JPEG', jpegOf(1), 'image/jpeg'],
    ['a still WebP', webpOf(0), 'image/webp'],
  ])('is %s, by its bytes and whatever its name says', (_, bytes, mediaType) => {
    expect(pictureFault('photo.gif', bytes)).toBeNull();
    expect(readImageFacts(bytes)?.mediaType).toBe(mediaType);
  });

  it.each([
    ['words', text('BMW and others, which begin like a picture.')],
    ['an SVG, which goes as text', text('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['nothing', Buffer.alloc(0)],
  ])('is not meant where the file is %s', (_, bytes) => {
    expect(pictureFault('a.txt', bytes)).toBeNull();
  });
});
