import type { BigIntStats, Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { isGone, openChildFolder, readRegularFile, type HostFolder } from '../../lib/files/host-folder.ts';
import type { ListEntry } from '../sandbox.ts';
import { isMaybeEnvironment, isSkippedFolder } from '../files/skipped-folders.ts';
import { kindOf } from '../files/entry-kind.ts';

export interface TreeEntry extends ListEntry {
  readonly stats: BigIntStats;
}

export interface TreeOptions {
  /** The path of this folder, relative to the workspace (`.` is the workspace). */
  readonly prefix: string;
  readonly depth: number;
  /** Includes what is skipped by default. */
  readonly all: boolean;
  readonly signal: AbortSignal;
  /** Leaves out an entry, with all that is below it. `path` is as in `onEntry`. */
  readonly isHidden: (path: string, stats: BigIntStats) => boolean;
  readonly onEntry: (entry: TreeEntry) => void;
  /** Called for a folder that could not be read completely. It may be called more than once for a folder. */
  readonly onUnseen: (path: string) => void;
  /** The text of an ignore file, and the folder that it applies to. */
  readonly onIgnoreFile: (folder: string, text: string) => void;
}

const maxIgnoreBytes = 128 * 1024;

/** Walks a folder on the host without following links. Files that vanish meanwhile are left out. */
export async function walkHostTree(folder: HostFolder, options: TreeOptions): Promise<void> {
  const { prefix, depth, all, signal, isHidden, onEntry, onUnseen, onIgnoreFile } = options;
  const reportUnreadable = (path: string) => (error: unknown) => {
    if (!isGone(error)) onUnseen(path);
    return null;
  };
  const entries: readonly Dirent[] =
    (await readdir(folder.place, { withFileTypes: true }).catch(reportUnreadable(prefix))) ?? [];
  if (!all && entries.some((entry) => entry.name === '.gitignore' && entry.isFile())) {
    const text = await readRegularFile(folder, '.gitignore', maxIgnoreBytes);
    onIgnoreFile(prefix, text?.toString() ?? '');
  }
  for (const entry of entries) {
    signal.throwIfAborted();
    if (entry.name.includes('\uFFFD')) continue;
    const isFolder = entry.isDirectory();
    if (isFolder && !all && (await isSkipped(folder, entry.name))) continue;
    const stats = await lstat(folder.at(entry.name), { bigint: true }).catch(reportUnreadable(prefix));
    if (stats === null) continue;
    const path = prefix === '.' ? entry.name : `${prefix}/${entry.name}`;
    if (isHidden(path, stats)) continue;
    onEntry({ path, kind: kindOf(stats), sizeBytes: Number(stats.size), stats });
    if (!isFolder || depth <= 1) continue;
    const child = await openChildFolder(folder, entry.name).catch(reportUnreadable(path));
    if (child === null) continue;
    try {
      await walkHostTree(child, { ...options, prefix: path, depth: depth - 1 });
    } finally {
      await child.close();
    }
  }
}

/** Folders that tools make. Their contents are neither listed nor searched. */
export async function isSkipped(folder: HostFolder, name: string): Promise<boolean> {
  if (isSkippedFolder(name)) return true;
  // Without this file, it is an ordinary folder.
  return isMaybeEnvironment(name) && (await lstat(folder.at(`${name}/pyvenv.cfg`)).catch(() => null)) !== null;
}
