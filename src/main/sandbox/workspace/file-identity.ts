import { lstatSync, type BigIntStats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { AppError } from '@shared/errors.ts';
import {
  isGone,
  openChildFolder,
  openHostFolder,
  pathIn,
  type CallMode,
  type HostFolder,
} from '../../lib/files/host-folder.ts';
import { entriesOf } from './repositories/folder-entries.ts';
import { absolutePath, hostNameOf, joined } from './repositories/folder-names.ts';
import { pauses } from './repositories/folder-watch.ts';

/**
 * What stays the same when a file or folder is renamed: its inode, and its birth, because file systems give a free
 * inode to the next file. The device is left out, because its number may change when the machine starts again.
 */
export function identityOf({ ino, birthtimeNs }: Pick<BigIntStats, 'ino' | 'birthtimeNs'>): string {
  return `${ino}:${birthtimeNs}`;
}

/** The facts of a path below a folder, without following a link at its end. Null: it does not exist. */
export function statsBelow(root: string, path: string, asking: CallMode): Promise<BigIntStats | null> {
  return statsOf(absolutePath(root, path), asking);
}

/** Stands for what a folder without permissions does not tell. */
export const unknownIdentity = 'unknown';

/** Whether something may be at a path, but the permissions of a folder on the way do not tell. */
export async function isClosedBelow(root: string, path: string): Promise<boolean> {
  return lstat(absolutePath(root, path)).then(
    () => false,
    (error: unknown) => !isGone(error),
  );
}

async function statsOf(place: string | Buffer, asking: CallMode): Promise<BigIntStats | null> {
  if (asking === 'waiting') return lstat(place, { bigint: true }).catch(() => null);
  try {
    return lstatSync(place, { bigint: true });
  } catch {
    return null;
  }
}

export interface IdentitySearch {
  /** A real path. */
  readonly workspacePath: string;
  readonly asking: CallMode;
  readonly wanted: ReadonlySet<string>;
}

/** Deeper folders can be made, but nothing is hidden in them. */
const maxDepth = 256;

/**
 * All paths of the wanted files and folders, in the form of `folder-names.ts`. Looks everywhere, also in folders that
 * tools make and in the data of git. Follows no link. Throws `refused` if the project is too deep to look at completely.
 */
export async function findByIdentity(
  { workspacePath, asking, wanted }: IdentitySearch,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  const pause = pauses(signal);
  const lookInto = async (folder: HostFolder, path: string, depth: number): Promise<void> => {
    if (depth > maxDepth) throw tooDeep(path);
    // A folder that we cannot open is hidden from commands, too.
    const entries = await entriesOf(folder, asking).catch(() => new Map<string, string>());
    for (const [name, kind] of entries) {
      await pause();
      const stats = await statsOf(pathIn(folder, hostNameOf(name)), asking);
      if (stats === null) continue;
      const identity = identityOf(stats);
      if (wanted.has(identity)) found.set(identity, [...(found.get(identity) ?? []), joined(path, name)]);
      if (kind !== 'folder') continue;
      const child = await openChildFolder(folder, hostNameOf(name), asking).catch(() => null);
      if (child === null) continue;
      await lookInto(child, joined(path, name), depth + 1).finally(() => child.close());
    }
  };
  const root = await openHostFolder(workspacePath, asking);
  await lookInto(root, '', 0).finally(() => root.close());
  return found;
}

function tooDeep(path: string): AppError {
  return new AppError(
    'refused',
    `This project has folders that are too deep to look for files that must stay hidden (${path.slice(0, 120)}…), so nothing runs in it.`,
    { hint: 'Remove the deep folders, or work on a smaller folder.' },
  );
}
