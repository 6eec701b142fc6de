import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { FileCalls } from '../../lib/files/file-calls.ts';
import { errorCodeOf } from '../../lib/files/json-file.ts';
import {
  type CallMode,
  type HostFolder,
  isGone,
  openChildFolder,
  openHostFolder,
} from '../../lib/files/host-folder.ts';

const pieceBytes = 1024 * 1024;

/** What is at a path of a checkout. */
export type OnDisk =
  | { readonly type: 'missing' }
  | { readonly type: 'file' | 'link'; readonly oid: string; readonly entry: BigIntStats }
  | { readonly type: 'folder' }
  | { readonly type: 'other' }
  /** A file or a link stands where a folder has to be. */
  | { readonly type: 'blocked'; readonly by: string };

/** Looks, name by name, and follows no link. The id is that which git would give the bytes as they are. */
export async function lookAtDisk(tree: string, path: string, calls: FileCalls): Promise<OnDisk> {
  const found = await parentOnDisk(tree, path, calls.mode);
  if (!('parent' in found)) return found;
  try {
    return await lookIn(found.parent, path.split('/').at(-1) ?? '', calls);
  } finally {
    await found.parent.close();
  }
}

async function parentOnDisk(
  tree: string,
  path: string,
  calls: CallMode = 'waiting',
): Promise<OnDisk | { readonly parent: HostFolder }> {
  const names = path.split('/').slice(0, -1);
  let folder = await openHostFolder(tree, calls);
  for (const [at, name] of names.entries()) {
    try {
      const next = await openChildFolder(folder, name, calls);
      await folder.close();
      folder = next;
    } catch (error) {
      await folder.close();
      if (!isGone(error)) throw error;
      return errorCodeOf(error) === 'ENOENT'
        ? { type: 'missing' }
        : { type: 'blocked', by: names.slice(0, at + 1).join('/') };
    }
  }
  return { parent: folder };
}

async function lookIn(folder: HostFolder, name: string, calls: FileCalls): Promise<OnDisk> {
  const entry = await calls.lstat(folder.at(name)).catch((error: unknown) => {
    if (isGone(error)) return null;
    throw error;
  });
  if (entry === null) return { type: 'missing' };
  if (entry.isDirectory()) return { type: 'folder' };
  if (entry.isSymbolicLink()) {
    return { type: 'link', entry, oid: blobId(await calls.readlink(folder.at(name))) };
  }
  if (!entry.isFile()) return { type: 'other' };
  return { type: 'file', entry, oid: await fileId(folder, name, calls) };
}

/** The id that git gives these bytes. */
export function blobId(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** The same for a file, in pieces. */
export async function fileId(folder: HostFolder, name: string, calls: FileCalls): Promise<string> {
  const file = await calls.open(folder, name);
  try {
    const hash = createHash('sha1').update(`blob ${file.sizeBytes}\0`);
    // Most files are small. One byte more than expected, so that one that grew is noticed.
    const piece = Buffer.allocUnsafe(Math.min(file.sizeBytes + 1, pieceBytes));
    for (;;) {
      const count = await file.read(piece);
      if (count === 0) break;
      hash.update(piece.subarray(0, count));
    }
    return hash.digest('hex');
  } finally {
    await file.close();
  }
}

/** All files and folders below a folder. Null: more than `most`, or it cannot be told. */
export async function filesBelow(tree: string, path: string, most: number): Promise<readonly string[] | null> {
  const found: string[] = [];
  const look = async (folder: HostFolder, above: string): Promise<boolean> => {
    for (const { name, isDirectory } of (await readdir(folder.place, { withFileTypes: true })).map((one) => ({
      name: one.name,
      isDirectory: one.isDirectory(),
    }))) {
      const whole = `${above}/${name}`;
      if (!isDirectory) found.push(whole);
      if (found.length > most) return false;
      if (!isDirectory) continue;
      const inner = await openChildFolder(folder, name);
      const isEmpty = (await readdir(inner.place)).length === 0;
      if (isEmpty) found.push(whole);
      const isDone = await look(inner, whole).finally(() => inner.close());
      if (!isDone) return false;
    }
    return true;
  };
  const parent = await parentOnDisk(tree, `${path}/x`);
  if (!('parent' in parent)) return null;
  try {
    return (await look(parent.parent, path)) ? found : null;
  } finally {
    await parent.parent.close();
  }
}
