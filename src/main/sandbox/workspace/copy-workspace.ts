import { constants } from 'node:fs';
import { chmod, copyFile, mkdir, readlink, stat, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import {
  nullIfGone,
  openChildFolder,
  openForReading,
  openHostFolder,
  pathIn,
  pathOfOpenFile,
  type HostFolder,
} from '../../lib/files/host-folder.ts';
import { errorCodeOf } from '../../lib/files/json-file.ts';
import type { CopyEntry, CopyPlan } from './workspace-copy-plan.ts';

/** A socket, a pipe or a device. */
export class NotCopyable extends Error {}

interface Copied {
  readonly files: number;
  readonly bytes: number;
}

interface Copying {
  readonly from: string;
  readonly signal: AbortSignal;
  /** By the path of their folder, in the form of `keyOf`. */
  readonly entries: ReadonlyMap<string, readonly CopyEntry[]>;
  files: number;
  bytes: number;
}

const atOnce = 32;

/**
 * Copies what was planned into a new folder, with modes, times and links. Shares blocks if the file system can. The
 * project may be in use meanwhile, even by a sandbox. So nothing is reached through a link, and files that have
 * vanished or changed their kind are left out. Rejects on abort, with `NotCopyable`, and with the file system's
 * errors. What was copied by then stays.
 */
export async function copyPlanned(
  plan: CopyPlan,
  { from, to, signal }: { readonly from: string; readonly to: string; readonly signal: AbortSignal },
): Promise<Copied> {
  const copying: Copying = { from, signal, entries: byFolder(plan.entries), files: 0, bytes: 0 };
  const source = await openHostFolder(from);
  try {
    await copyFolder(copying, source, { raw: Buffer.alloc(0), target: Buffer.from(to) });
  } finally {
    await source.close();
  }
  return { files: copying.files, bytes: copying.bytes };
}

function byFolder(entries: readonly CopyEntry[]): ReadonlyMap<string, readonly CopyEntry[]> {
  const found = new Map<string, CopyEntry[]>();
  for (const entry of entries) {
    const key = keyOf(entry.raw.subarray(0, Math.max(0, entry.raw.lastIndexOf('/'))));
    const beside = found.get(key);
    if (beside === undefined) found.set(key, [entry]);
    else beside.push(entry);
  }
  return found;
}

/** The key of a path that need not be text. */
function keyOf(raw: Buffer): string {
  return raw.toString('latin1');
}

interface Place {
  /** Relative to the copied folder. */
  readonly raw: Buffer;
  readonly target: Buffer;
}

interface Placed extends Place {
  readonly entry: CopyEntry;
  readonly name: Buffer;
}

async function copyFolder(copying: Copying, source: HostFolder, { raw, target }: Place): Promise<void> {
  await mkdir(target, { mode: 0o700 });
  const entries = copying.entries.get(keyOf(raw)) ?? [];
  const placed = entries.map((entry) => {
    const name = entry.raw.subarray(raw.length === 0 ? 0 : raw.length + 1);
    return { entry, name, raw: entry.raw, target: Buffer.concat([target, slash, name]) };
  });
  const others = placed.filter(({ entry }) => entry.kind !== 'folder');
  for (let at = 0; at < others.length; at += atOnce) {
    copying.signal.throwIfAborted();
    // Waits for all copies even if one fails, because nothing may write into the folder while it is being removed.
    const ended = await Promise.allSettled(others.slice(at, at + atOnce).map((one) => copyOne(copying, source, one)));
    for (const one of ended) if (one.status === 'rejected') throw one.reason;
  }
  for (const one of placed.filter(({ entry }) => entry.kind === 'folder')) {
    copying.signal.throwIfAborted();
    await copyChild(copying, source, one);
  }
  // Set after the folder's contents are complete, because they change its time. The copy is always writable, even if
  // the original is read-only.
  const { mode, atime, mtime } = await stat(source.place);
  await chmod(target, (mode & 0o7777) | 0o700);
  await utimes(target, atime, mtime);
}

const slash = Buffer.from('/');

async function copyChild(copying: Copying, source: HostFolder, { name, raw, target }: Placed): Promise<void> {
  const child = await openChildFolder(source, name).catch(nullIfGone);
  if (child === null) return;
  try {
    await copyFolder(copying, child, { raw, target });
  } finally {
    await child.close();
  }
}

async function copyOne(copying: Copying, source: HostFolder, { name, entry, target }: Placed): Promise<void> {
  const { kind, path } = entry;
  if (kind === 'other')
    throw new NotCopyable(`${join(copying.from, path)} is a socket, a pipe or a device and cannot be copied.`);
  const from = pathIn(source, name);
  if (kind === 'link') {
    const aim = await readlink(from, { encoding: 'buffer' }).catch(nullIfNoLink);
    if (aim !== null) await symlink(aim, target);
    return;
  }
  const file = await openForReading(source, name).catch(nullIfGone);
  if (file === null) return;
  try {
    const found = await file.stat();
    if (!found.isFile()) return;
    const { COPYFILE_FICLONE, COPYFILE_EXCL } = constants;
    await copyFile(pathOfOpenFile(file, from), target, COPYFILE_FICLONE | COPYFILE_EXCL);
    // Tools such as make use the times.
    await utimes(target, found.atime, found.mtime);
    copying.files += 1;
    copying.bytes += found.size;
  } finally {
    await file.close();
  }
}

function nullIfNoLink(error: unknown): null {
  return errorCodeOf(error) === 'EINVAL' ? null : nullIfGone(error);
}
