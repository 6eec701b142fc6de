import { crc32, deflateSync } from 'node:zlib';

/** A whole PNG with a slant of colors. `claimed` is what its header says instead of its real size. */
export function pngFile(width: number, height: number, claimed: readonly [number, number] = [width, height]): Buffer {
  const rows = Array.from({ length: height }, (_, row) =>
    Buffer.from([0, ...Array.from({ length: width * 3 }, (__, at) => (at * 7 + row) % 256)]),
  );
  const header = Buffer.alloc(13);
  header.writeUInt32BE(claimed[0], 0);
  header.writeUInt32BE(claimed[1], 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
