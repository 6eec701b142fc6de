import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';

/** A file that was written, as git's index notes it. */
export interface IndexedFile {
  readonly path: string;
  readonly oid: string;
  readonly mode: number;
  /** Null: a submodule, which has no file. */
  readonly stats: BigIntStats | null;
}

const longestInFlags = 0xfff;

/** Git's index, version 2: without it, git would take every file for a new one. */
export function gitIndex(files: readonly IndexedFile[]): Buffer {
  const entries = files
    .map((file) => ({ file, name: Buffer.from(file.path) }))
    .sort((one, other) => Buffer.compare(one.name, other.name))
    .map(({ file, name }) => entryOf(file, name));
  const head = Buffer.alloc(12);
  head.write('DIRC', 'latin1');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(entries.length, 8);
  const whole = Buffer.concat([head, ...entries]);
  return Buffer.concat([whole, createHash('sha1').update(whole).digest()]);
}

/** Filled with zeros to a multiple of 8 bytes, with at least one. */
function entryOf({ oid, mode, stats }: IndexedFile, name: Buffer): Buffer {
  const entry = Buffer.alloc(Math.ceil((62 + name.length + 1) / 8) * 8);
  const numbers =
    stats === null
      ? [0n, 0n, 0n, 0n, 0n, 0n, BigInt(mode), 0n, 0n, 0n]
      : [
          stats.ctimeNs / 1_000_000_000n,
          stats.ctimeNs % 1_000_000_000n,
          stats.mtimeNs / 1_000_000_000n,
          stats.mtimeNs % 1_000_000_000n,
          stats.dev,
          stats.ino,
          BigInt(mode),
          stats.uid,
          stats.gid,
          stats.size,
        ];
  for (const [at, number] of numbers.entries()) entry.writeUInt32BE(Number(BigInt.asUintN(32, number)), at * 4);
  entry.write(oid, 40, 'hex');
  entry.writeUInt16BE(Math.min(name.length, longestInFlags), 60);
  name.copy(entry, 62);
  return entry;
}
