import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { indexEntries } from '../read-index.ts';

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
  return indexOf(
    2,
    files.map((file) => ({ path: file.path, bytes: entryOf(file) })),
  );
}

/** An index in which some files are replaced. All that git noted on the others stays; what it can make again goes. */
export function changedIndex(
  old: Buffer,
  { gone, files }: { readonly gone: ReadonlySet<string>; readonly files: readonly IndexedFile[] },
): Buffer {
  const replaced = new Set(files.map(({ path }) => path));
  const kept = [...indexEntries(old)].filter(({ path }) => !gone.has(path) && !replaced.has(path));
  const version = kept.some(({ isExtended }) => isExtended) ? 3 : 2;
  return indexOf(version, [...kept, ...files.map((file) => ({ path: file.path, bytes: entryOf(file) }))]);
}

function indexOf(version: 2 | 3, entries: readonly { readonly path: string; readonly bytes: Buffer }[]): Buffer {
  const sorted = entries
    .map(({ path, bytes }) => ({ bytes, name: Buffer.from(path) }))
    .sort((one, other) => Buffer.compare(one.name, other.name))
    .map(({ bytes }) => bytes);
  const head = Buffer.alloc(12);
  head.write('DIRC', 'latin1');
  head.writeUInt32BE(version, 4);
  head.writeUInt32BE(sorted.length, 8);
  const whole = Buffer.concat([head, ...sorted]);
  return Buffer.concat([whole, createHash('sha1').update(whole).digest()]);
}

/** Filled with zeros to a multiple of 8 bytes, with at least one. */
function entryOf({ path, oid, mode, stats }: IndexedFile): Buffer {
  const name = Buffer.from(path);
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
