import { lstatSync, type BigIntStats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '@shared/errors.ts';
import { pauses } from '../../lib/async/pauses.ts';
import {
  isGone,
  openChildFolder,
  openHostFolder,
  pathIn,
  readStart,
  type CallMode,
  type HostFolder,
} from '../../lib/files/host-folder.ts';
import { sha256Of } from '../../lib/sha256.ts';
import { entriesOf } from './repositories/folder-entries.ts';
import { absolutePath, hostNameOf, childPath } from './repositories/folder-names.ts';
import { askDrive } from '../../lib/files/served-drives.ts';

/**
 * What stays the same when a file or folder is renamed: its inode, and its birth, because file systems give a free
 * inode to the next file. The device is left out, because its number may change when the machine starts again.
 */
export function identityOf({ ino, birthtimeNs }: Pick<BigIntStats, 'ino' | 'birthtimeNs'>): string {
  return `${ino}:${birthtimeNs}`;
}

/** The facts of a path below a folder, without following a link at its end. Null: it does not exist. */
export function statsBelow(root: string, path: string, asking: CallMode): Promise<BigIntStats | null> {
  return askDrive(root, () => statsOf(absolutePath(root, path), asking));
}

/** The same for a whole path with names in the form of `folder-names.ts`. */
export function statsAt(place: string, asking: CallMode): Promise<BigIntStats | null> {
  const read = (): Promise<BigIntStats | null> =>
    statsOf(place.includes('\0') ? absolutePath('', place.slice(1)) : place, asking);
  return askDrive(dirname(place), read);
}

/** Stands for what a folder without permissions does not tell. */
export const unknownIdentity = 'unknown';

/** Whether something may be at a path, but the permissions of a folder on the way do not tell. */
export async function isClosedBelow(root: string, path: string): Promise<boolean> {
  const look = (): Promise<boolean> =>
    lstat(absolutePath(root, path)).then(
      () => false,
      (error: unknown) => !isGone(error),
    );
  return askDrive(root, look);
}

async function statsOf(place: string | Buffer, asking: CallMode): Promise<BigIntStats | null> {
  if (asking === 'waiting') return lstat(place, { bigint: true }).catch(() => null);
  try {
    return lstatSync(place, { bigint: true });
  } catch {
    return null;
  }
}

export interface FileSearch {
  /** A real path. */
  readonly workspacePath: string;
  readonly asking: CallMode;
  /** Identities of files and folders. */
  readonly wanted: ReadonlySet<string>;
  /** Prints of files. Another file with one of them is a copy. */
  readonly prints: ReadonlySet<string>;
}

export interface FoundFiles {
  /** All paths of each identity that was found. The path of the workspace itself is empty. */
  readonly places: ReadonlyMap<string, readonly string[]>;
  /** Other files with one of the prints. */
  readonly copies: readonly { readonly path: string; readonly print: string; readonly changedAtMs: number }[];
}

/** Less is in many files by chance. */
const leastPrintBytes = 16;
const mostPrintBytes = 1024 * 1024;

/** What tells copies of a file: its size and content. Null: it is too small or too large for that, or cannot be read. */
export async function printOf(folder: HostFolder, name: string | Buffer, sizeBytes: bigint): Promise<string | null> {
  if (sizeBytes < leastPrintBytes || sizeBytes > mostPrintBytes) return null;
  const bytes = await readStart(folder, name, mostPrintBytes + 1).catch(() => null);
  return bytes === null ? null : `${bytes.length}:${sha256Of(bytes)}`;
}

/** Deeper folders can be made, but nothing is hidden in them. */
const maxDepth = 256;

/**
 * Where the wanted files and folders are, and copies of files, by paths in the form of `folder-names.ts`. Looks everywhere,
 * also in folders that tools make and in the data of git. Follows no link. Throws `refused` if the project is too deep to
 * look at completely, and `timeout` if its drive is silent.
 */
export async function findFiles(
  { workspacePath, asking, wanted, prints }: FileSearch,
  signal: AbortSignal,
): Promise<FoundFiles> {
  const places = new Map<string, string[]>();
  const copies: { path: string; print: string; changedAtMs: number }[] = [];
  const sizes = new Set([...prints].map((print) => BigInt(print.split(':')[0] ?? '')));
  const pause = pauses(signal);
  const note = (stats: BigIntStats, path: string): boolean => {
    const identity = identityOf(stats);
    if (!wanted.has(identity)) return false;
    places.set(identity, [...(places.get(identity) ?? []), path]);
    return true;
  };
  const lookInto = async (folder: HostFolder, path: string, depth: number): Promise<void> => {
    if (depth > maxDepth) throw tooDeep(path);
    // A folder that we cannot open is hidden from commands, too.
    const entries = await entriesOf(folder, asking).catch(() => new Map<string, string>());
    for (const [name, kind] of entries) {
      await pause();
      const stats = await statsOf(pathIn(folder, hostNameOf(name)), asking);
      if (stats === null) continue;
      const isWanted = note(stats, childPath(path, name));
      if (!isWanted && kind === 'file' && sizes.has(stats.size)) {
        const print = await printOf(folder, hostNameOf(name), stats.size);
        if (print !== null && prints.has(print))
          copies.push({ path: childPath(path, name), print, changedAtMs: Number(stats.ctimeMs) });
      }
      if (kind !== 'folder') continue;
      const child = await openChildFolder(folder, hostNameOf(name), asking).catch(() => null);
      if (child === null) continue;
      await lookInto(child, childPath(path, name), depth + 1).finally(() => child.close());
    }
  };
  await askDrive(
    workspacePath,
    async () => {
      const own = await statsOf(workspacePath, asking);
      if (own !== null) note(own, '');
      const root = await openHostFolder(workspacePath, asking);
      await lookInto(root, '', 0).finally(() => root.close());
    },
    { signal },
  );
  return { places, copies };
}

function tooDeep(path: string): AppError {
  return new AppError(
    'refused',
    `This project has folders that are too deep to look for files that must stay hidden (${path.slice(0, 120)}…), so nothing runs in it.`,
    { hint: 'Remove the deep folders, or work on a smaller folder.' },
  );
}
