import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { errorCodeOf } from '../../lib/files/json-file.ts';
import {
  type CallMode,
  type HostFolder,
  isGone,
  openChildFolder,
  openForReading,
  openHostFolder,
} from '../../lib/files/host-folder.ts';

/** What is at a path of a checkout. */
export type OnDisk =
  | { readonly type: 'missing' }
  | { readonly type: 'file' | 'link'; readonly oid: string; readonly entry: BigIntStats }
  | { readonly type: 'folder' }
  | { readonly type: 'other' }
  /** A file or a link stands where a folder has to be. */
  | { readonly type: 'blocked'; readonly by: string };

/** Looks, name by name, and follows no link. The id is that which git would give the bytes as they are. */
export async function lookAtDisk(tree: string, path: string, calls: CallMode): Promise<OnDisk> {
  const found = await parentOnDisk(tree, path, calls);
  if (!('parent' in found)) return found;
  try {
    return await lookIn(found.parent, path.split('/').at(-1) ?? '');
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

async function lookIn(folder: HostFolder, name: string): Promise<OnDisk> {
  const entry = await lstat(folder.at(name), { bigint: true }).catch((error: unknown) => {
    if (isGone(error)) return null;
    throw error;
  });
  if (entry === null) return { type: 'missing' };
  if (entry.isDirectory()) return { type: 'folder' };
  if (entry.isSymbolicLink()) {
    const target = await readlink(folder.at(name), { encoding: 'buffer' });
    return { type: 'link', entry, oid: blobId(target) };
  }
  if (!entry.isFile()) return { type: 'other' };
  return { type: 'file', entry, oid: await fileId(folder, name) };
}

/** The id that git gives these bytes. */
export function blobId(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** The same for a file, in pieces. */
export async function fileId(folder: HostFolder, name: string): Promise<string> {
  const handle = await openForReading(folder, name);
  try {
    const { size } = await handle.stat();
    const hash = createHash('sha1').update(`blob ${size}\0`);
    const piece = Buffer.alloc(1024 * 1024);
    for (let at = 0; ;) {
      const { bytesRead } = await handle.read(piece, 0, piece.length, at);
      if (bytesRead === 0) break;
      hash.update(piece.subarray(0, bytesRead));
      at += bytesRead;
    }
    return hash.digest('hex');
  } finally {
    await handle.close();
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
