import { lstatSync, opendirSync, type BigIntStats, type Dir, type Dirent } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { pauses } from '../../lib/async/pauses.ts';
import { isGone, readRegularFile, type CallMode, type HostFolder } from '../../lib/files/host-folder.ts';
import { errorCodeOf } from '../../lib/files/json-file.ts';
import type { ListEntry } from '../sandbox.ts';
import { FolderChain } from '../workspace/repositories/folder-chain.ts';
import { isMaybeEnvironment, isSkippedFolder } from '../files/skipped-folders.ts';
import { kindOf } from '../files/entry-kind.ts';

export interface TreeEntry extends ListEntry {
  readonly stats: BigIntStats;
}

export interface TreeOptions {
  /** The path of this folder, relative to the workspace (`.` is the workspace). */
  readonly prefix: string;
  readonly depth: number;
  /** The walk ends after so many entries. */
  readonly mostEntries: number;
  readonly asking: CallMode;
  /** Includes what is skipped by default. */
  readonly all: boolean;
  readonly signal: AbortSignal;
  /** Leaves out an entry, with all that is below it. `path` is as in `onEntry`. */
  readonly isHidden: (path: string, stats: BigIntStats) => boolean;
  /** Leaves out what is below a folder. The ignore files of the folders above are known by then. Absent: nothing. */
  readonly isPassedOver?: (folder: string) => boolean;
  readonly onEntry: (entry: TreeEntry) => void;
  /** Called for a folder that could not be read completely. It may be called more than once for a folder. */
  readonly onUnseen: (path: string) => void;
  /** The text of an ignore file, and the folder that it applies to. */
  readonly onIgnoreFile: (folder: string, text: string) => void;
}

const maxIgnoreBytes = 128 * 1024;
/** How many names the system is asked for at once. A folder may have a million of them. */
const namesAtOnce = 1024;

interface Waiting {
  /** Relative to the folder of the walk. */
  readonly names: readonly string[];
  readonly path: string;
}

/**
 * Walks a folder on the host without following links, upper folders before lower ones. Files that vanish meanwhile are
 * left out. Returns whether it ended at `mostEntries`.
 */
export async function walkHostTree(folder: HostFolder, options: TreeOptions): Promise<boolean> {
  const { prefix, depth, mostEntries, asking, signal, isPassedOver, onUnseen } = options;
  const pause = pauses(signal);
  const chain = new FolderChain(folder.place, asking);
  const waiting: Waiting[] = [{ names: [], path: prefix }];
  let room = mostEntries;
  try {
    // The list grows while it is walked. Folders beside each other follow each other, so each is opened about once.
    for (const next of waiting) {
      if (next.names.length > 0 && isPassedOver?.(next.path) === true) continue;
      const below = (name: string, path: string): void => {
        if (next.names.length + 1 < depth) waiting.push({ names: [...next.names, name], path });
      };
      try {
        room = await chain.use(next.names, (open) => walkFolder(open, next.path, { ...options, pause, room, below }));
      } catch (error) {
        signal.throwIfAborted();
        if (errorCodeOf(error) === undefined) throw error;
        if (!isGone(error)) onUnseen(next.path);
      }
      if (room < 0) return true;
    }
    return false;
  } finally {
    await chain.close();
  }
}

interface Walking extends TreeOptions {
  readonly pause: () => Promise<void>;
  readonly room: number;
  readonly below: (name: string, path: string) => void;
}

/** Returns how much room is left. -1: there are more entries than room. */
async function walkFolder(folder: HostFolder, prefix: string, walking: Walking): Promise<number> {
  const { all, asking, pause, isHidden, onEntry, onUnseen, onIgnoreFile, below } = walking;
  let { room } = walking;
  for await (const entry of entriesIn(folder, asking)) {
    await pause();
    if (entry.name.includes('\uFFFD')) continue;
    const isFolder = entry.isDirectory();
    if (isFolder && !all && (await isSkipped(folder, entry.name))) continue;
    if (room === 0) return -1;
    room -= 1;
    let stats: BigIntStats;
    try {
      const place = folder.at(entry.name);
      stats = asking === 'at-once' ? lstatSync(place, { bigint: true }) : await lstat(place, { bigint: true });
    } catch (error) {
      if (!isGone(error)) onUnseen(prefix);
      continue;
    }
    const path = prefix === '.' ? entry.name : `${prefix}/${entry.name}`;
    if (!all && entry.name === '.gitignore' && entry.isFile())
      onIgnoreFile(prefix, (await readRegularFile(folder, '.gitignore', maxIgnoreBytes))?.toString() ?? '');
    if (isHidden(path, stats)) continue;
    onEntry({ path, kind: kindOf(stats), sizeBytes: Number(stats.size), stats });
    if (isFolder) below(entry.name, path);
  }
  return room;
}

/** One after the other, so that a folder with a million names takes little memory, and others go on in between. */
async function* entriesIn(folder: HostFolder, asking: CallMode): AsyncGenerator<Dirent> {
  const options = { bufferSize: namesAtOnce };
  const open: Dir = asking === 'at-once' ? opendirSync(folder.place, options) : await opendir(folder.place, options);
  try {
    for (;;) {
      const entry = asking === 'at-once' ? open.readSync() : await open.read();
      if (entry === null) return;
      yield entry;
    }
  } finally {
    if (asking === 'at-once') open.closeSync();
    else await open.close();
  }
}

/** Folders that tools make. Their contents are neither listed nor searched. */
async function isSkipped(folder: HostFolder, name: string): Promise<boolean> {
  if (isSkippedFolder(name)) return true;
  // Without this file, it is an ordinary folder.
  return isMaybeEnvironment(name) && (await lstat(folder.at(`${name}/pyvenv.cfg`)).catch(() => null)) !== null;
}
