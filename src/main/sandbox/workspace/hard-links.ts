import { randomBytes } from 'node:crypto';
import { constants, type BigIntStats, type Dirent } from 'node:fs';
import { copyFile, lstat, open, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import { messageOf } from '@shared/errors.ts';
import {
  openChildFolder,
  openFolderBelow,
  openForReading,
  openHostFolder,
  pathOfOpenFile,
  type HostFolder,
} from '../../lib/files/host-folder.ts';
import { errorCodeOf, isDiskFull } from '../../lib/files/json-file.ts';
import type { BrokenLinks } from '../sandbox.ts';
import { isSkippedFolder, temporaryPrefix } from '../files/skipped-folders.ts';
import { askDrive } from '../../lib/files/served-drives.ts';

/** A file of a project that is also a file somewhere else. Writing to one changes the other, too. */
interface LinkedFile {
  /** Relative to the workspace. */
  readonly path: string;
  readonly sizeBytes: number;
}

export interface HardLinks {
  /** Only files with another name outside of the project, or one that was not found in it. */
  readonly files: readonly LinkedFile[];
  /** There was not enough time to check everything, or something could not be read. */
  readonly isCut: boolean;
}

interface LinkSearch {
  readonly workspacePath: string;
  /** Paths that no command can write to. */
  readonly isLeftOut: (path: string) => boolean;
  /** The time limit, after which the result is cut. Null: no limit. */
  readonly budgetMs: number | null;
}

const atOnce = 32;
const maxDepth = 64;

interface Inode {
  readonly names: bigint;
  readonly files: LinkedFile[];
}

interface Looking extends Pick<LinkSearch, 'isLeftOut'> {
  readonly signal: AbortSignal;
  readonly until: number;
  readonly inodes: Map<string, Inode>;
  isCut: boolean;
}

/**
 * Searches all files, including those that tools made: package managers' stores and clones on this disk are linked
 * there.
 */
export async function findHardLinks(
  { workspacePath, isLeftOut, budgetMs }: LinkSearch,
  signal: AbortSignal,
): Promise<HardLinks> {
  const until = performance.now() + (budgetMs ?? Number.POSITIVE_INFINITY);
  const looking: Looking = { isLeftOut, signal, until, inodes: new Map(), isCut: false };
  const look = async (): Promise<void> => {
    const root = await openHostFolder(workspacePath);
    await lookInto(root, '', looking).finally(() => root.close());
  };
  await askDrive(workspacePath, look, { signal });
  const open = [...looking.inodes.values()].filter(({ names, files }) => BigInt(files.length) < names);
  const files = open.flatMap((inode) => inode.files).sort((left, right) => (left.path < right.path ? -1 : 1));
  return { files, isCut: looking.isCut };
}

async function lookInto(folder: HostFolder, prefix: string, looking: Looking): Promise<void> {
  const entries = await readdir(folder.place, { withFileTypes: true }).catch((): Dirent[] => []);
  const kept = entries.filter(({ name }) => !looking.isLeftOut(prefix + name));
  const names = kept.filter((entry) => entry.isFile()).map(({ name }) => name);
  for (let at = 0; at < names.length; at += atOnce) {
    if (isOver(looking)) return;
    await Promise.all(names.slice(at, at + atOnce).map((name) => lookAtFile(folder, name, { prefix, looking })));
  }
  const folders = kept.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  // The user's files come first, in case there is not enough time for all.
  for (const name of folders.sort((left, right) => Number(isSkippedFolder(left)) - Number(isSkippedFolder(right)))) {
    if (isOver(looking)) return;
    const child = await openChildFolder(folder, name).catch(() => null);
    // A folder that we cannot open is closed to commands, too, because they run as the same user.
    if (child === null) continue;
    if (prefix.split('/').length > maxDepth) looking.isCut = true;
    else await lookInto(child, `${prefix}${name}/`, looking);
    await child.close();
  }
}

function isOver(looking: Looking): boolean {
  looking.signal.throwIfAborted();
  const isLate = performance.now() > looking.until;
  looking.isCut ||= isLate;
  return isLate;
}

async function lookAtFile(
  folder: HostFolder,
  name: string,
  { prefix, looking }: { readonly prefix: string; readonly looking: Looking },
): Promise<void> {
  const found = await lstat(folder.at(name), { bigint: true }).catch((error: unknown) => errorCodeOf(error));
  if (found === null || typeof found !== 'object') {
    // A file whose name is not text exists, but cannot be checked.
    looking.isCut ||= name.includes('\uFFFD');
    return;
  }
  if (!found.isFile() || found.nlink < 2n) return;
  const key = `${found.dev}:${found.ino}`;
  const inode = looking.inodes.get(key) ?? { names: found.nlink, files: [] };
  inode.files.push({ path: prefix + name, sizeBytes: Number(found.size) });
  looking.inodes.set(key, inode);
}

const fullText = 'the disk is full';

/**
 * Makes each of these files independent: a copy with the same bytes, mode, owner and times replaces it atomically.
 * The other name of the file is not touched. Follows no link. Files that have changed meanwhile are left.
 */
export async function breakHardLinks(
  workspacePath: string,
  files: readonly LinkedFile[],
  signal: AbortSignal,
): Promise<BrokenLinks> {
  const left: { path: string; why: string }[] = [];
  let broken = 0;
  let isFull = false;
  for (let at = 0; at < files.length; at += atOnce) {
    signal.throwIfAborted();
    const results = files.slice(at, at + atOnce).map(async ({ path }) => {
      const why = isFull ? fullText : await askDrive(workspacePath, () => breakLink(workspacePath, path));
      isFull ||= why === fullText;
      if (why === null) broken += 1;
      else left.push({ path, why });
    });
    await Promise.all(results);
  }
  return { broken, left };
}

/** Why the link was left. Null: it is an independent file now. */
async function breakLink(workspacePath: string, path: string): Promise<string | null> {
  const names = path.split('/');
  const name = names.pop() ?? '';
  const folder = await openFolderBelow(workspacePath, names);
  if (folder === null) return 'its folder was removed';
  try {
    const source = await openForReading(folder, name);
    try {
      return await replaceByCopy(folder, name, source);
    } finally {
      await source.close();
    }
  } catch (error) {
    return isDiskFull(error) ? fullText : messageOf(error);
  } finally {
    await folder.close();
  }
}

async function replaceByCopy(folder: HostFolder, name: string, source: FileHandle): Promise<string | null> {
  const before = await source.stat({ bigint: true });
  if (!before.isFile()) return 'it is no longer a file';
  const temporary = folder.at(`${temporaryPrefix}${randomBytes(6).toString('hex')}`);
  try {
    await copyFile(
      pathOfOpenFile(source, folder.at(name)),
      temporary,
      constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL,
    );
    await takeAfter(temporary, before);
    const after = await source.stat({ bigint: true });
    const there = await lstat(folder.at(name), { bigint: true });
    if (!isSame(before, after) || !isSame(before, there)) return 'it changed meanwhile';
    await rename(temporary, folder.at(name));
    return null;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function takeAfter(path: string, { uid, gid, mode, atimeNs, mtimeNs }: BigIntStats): Promise<void> {
  const copy = await open(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0)).catch(async (error: unknown) => {
    // The new file got the mode of the original, which may be read-only.
    if (errorCodeOf(error) === 'EACCES') return open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    throw error;
  });
  try {
    const own = await copy.stat({ bigint: true });
    if (own.uid !== uid || own.gid !== gid) await copy.chown(Number(uid), Number(gid));
    await copy.chmod(Number(mode & 0o7777n));
    await copy.utimes(Number(atimeNs) / 1e9, Number(mtimeNs) / 1e9);
    await copy.sync();
  } finally {
    await copy.close();
  }
}

function isSame(left: BigIntStats, right: BigIntStats): boolean {
  const { dev, ino, size, mtimeNs } = left;
  return dev === right.dev && ino === right.ino && size === right.size && mtimeNs === right.mtimeNs;
}
