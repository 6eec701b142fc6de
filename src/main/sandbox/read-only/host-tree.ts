import { constants, type BigIntStats, type Dirent } from 'node:fs';
import { lstat, open, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListEntry } from '../sandbox.ts';
import { isMaybeEnvironment, isSkippedFolder, temporaryPrefix } from '../skipped-folders.ts';

export interface TreeEntry extends ListEntry {
  readonly stats: BigIntStats;
}

export interface TreeOptions {
  /** The path of the folder itself, relative to the workspace (`.` is the workspace). */
  readonly prefix: string;
  readonly depth: number;
  /** Also what is skipped by default. */
  readonly all: boolean;
  readonly signal: AbortSignal;
  readonly onEntry: (entry: TreeEntry) => void;
  /** The text of an ignore file and the folder it counts for. */
  readonly onIgnoreFile: (folder: string, text: string) => void;
}

const isLinux = process.platform === 'linux';
const folderFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_DIRECTORY ?? 0);
const maxIgnoreBytes = 128 * 1024;

/**
 * Goes through a folder on the host without following a link; `place` is the folder by a path that cannot be swapped
 * (`/proc/self/fd/N`) where there is one. What vanishes or may not be read is left out.
 */
export async function walkTree(place: string, options: TreeOptions): Promise<void> {
  const { prefix, depth, all, signal, onEntry, onIgnoreFile } = options;
  const entries = await readdir(place, { withFileTypes: true }).catch((): Dirent[] => []);
  if (!all && entries.some((entry) => entry.name === '.gitignore' && entry.isFile())) {
    onIgnoreFile(prefix, await readIgnoreFile(join(place, '.gitignore')));
  }
  for (const entry of entries) {
    signal.throwIfAborted();
    if (entry.name.includes('\uFFFD') || entry.name.startsWith(temporaryPrefix)) continue;
    const at = join(place, entry.name);
    const isFolder = entry.isDirectory();
    if (isFolder && !all && (await isSkipped(at, entry.name))) continue;
    const stats = await lstat(at, { bigint: true }).catch(() => null);
    if (stats === null) continue;
    const path = prefix === '.' ? entry.name : `${prefix}/${entry.name}`;
    onEntry({ path, kind: kindOf(stats), sizeBytes: Number(stats.size), stats });
    if (isFolder && depth > 1) await descend(at, { ...options, prefix: path, depth: depth - 1 });
  }
}

async function descend(at: string, options: TreeOptions): Promise<void> {
  const handle = await open(at, folderFlags).catch(() => null);
  if (handle === null) return;
  try {
    await walkTree(isLinux ? `/proc/self/fd/${handle.fd}` : at, options);
  } finally {
    await handle.close();
  }
}

async function isSkipped(at: string, name: string): Promise<boolean> {
  if (isSkippedFolder(name)) return true;
  return isMaybeEnvironment(name) && (await lstat(join(at, 'pyvenv.cfg')).catch(() => null)) !== null;
}

async function readIgnoreFile(path: string): Promise<string> {
  const stats = await lstat(path).catch(() => null);
  if (stats === null || !stats.isFile() || stats.size > maxIgnoreBytes) return '';
  return readFile(path, 'utf8').catch(() => '');
}

export function kindOf(stats: Pick<BigIntStats, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): ListEntry['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  return stats.isSymbolicLink() ? 'link' : 'other';
}
