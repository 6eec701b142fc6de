import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { link, lstat, mkdir, open, readdir, readlink, rename, stat, unlink } from 'node:fs/promises';
import type { BigIntStats } from 'node:fs';
import { join } from 'node:path';
import type { CallMode, HostFolder } from '../lib/files/host-folder.ts';
import { isGone, openChildFolder, openForReading, openHostFolder } from '../lib/files/host-folder.ts';
import { AppError } from '@shared/errors.ts';

/** Real paths of the three folders that a repository may consist of. */
export interface RepositoryPlaces {
  readonly tree: string;
  /** Objects, branches and settings. */
  readonly common: string;
  /** HEAD and the index. The same as `common`, except in a linked worktree. */
  readonly own: string;
  /** How folders are opened. Most calls open some, so that `at-once` saves half of the time. */
  readonly calls: CallMode;
}

/** Names that the library uses for the folders. It never learns a real path, so it cannot follow one. */
export const treeFolder = '/tree';
export const gitFolder = '/git';

/** The library reads whole files, so these limits are limits of memory. */
export const mostPackBytes = 512 * 1024 * 1024;
const mostFileBytes = 128 * 1024 * 1024;

const ownNames = /^(HEAD|index|ORIG_HEAD|MERGE_HEAD|CHERRY_PICK_HEAD|REVERT_HEAD|rebase-merge|rebase-apply|logs)$/u;
const writable = /^(objects|refs\/heads|refs\/remotes)(\/|$)/u;
/** In a repository that is just being made: tags, too, and where its history ends. */
const writableWhenNew = /^(objects|refs\/heads|refs\/remotes|refs\/tags|shallow)(\/|$)/u;

/** What the library compares with the index. If all is equal, it need not read the file. */
interface FileFacts extends Pick<BigIntStats, 'isDirectory' | 'isFile' | 'isSymbolicLink'> {
  readonly mtimeSeconds: number;
  readonly mtimeNanoseconds: number;
  readonly ctimeSeconds: number;
  readonly ctimeNanoseconds: number;
  readonly dev: number;
  readonly ino: number;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
}

/** The part of a file system that isomorphic-git uses. */
export interface RepositoryFiles {
  readonly readFile: (path: string, options?: unknown) => Promise<Buffer | string>;
  readonly writeFile: (path: string, content: Uint8Array | string) => Promise<void>;
  readonly unlink: (path: string) => Promise<void>;
  readonly readdir: (path: string) => Promise<string[]>;
  readonly mkdir: (path: string) => Promise<void>;
  readonly rmdir: (path: string) => Promise<void>;
  readonly stat: (path: string) => Promise<FileFacts>;
  readonly lstat: (path: string) => Promise<FileFacts>;
  readonly readlink: (path: string) => Promise<Buffer>;
  readonly symlink: (target: string, path: string) => Promise<void>;
}

interface FilesAccess {
  readonly signal: AbortSignal;
  readonly canWrite?: boolean;
  /** The repository is being made, in a folder that nobody else uses. */
  readonly isNew?: boolean;
}

/**
 * Files of a repository that a stranger may have made. Every name is looked up in the folder that was opened before it.
 * No link is followed, so nothing outside of the places is read. With `canWrite`, new objects and branches can be
 * written, and nothing else ever is. Each call rejects with the signal's reason once it is aborted.
 */
export function createRepositoryFiles(
  places: RepositoryPlaces,
  { signal, canWrite = false, isNew = false }: FilesAccess,
): RepositoryFiles {
  const at = <T>(path: string, work: (folder: HostFolder, name: string, isInGit: boolean) => Promise<T>): Promise<T> =>
    inFolder(places, { path, signal }, work);
  const refuse = async (path: string): Promise<never> => {
    throw codedError('EROFS', path);
  };
  const namesToWrite = isNew ? writableWhenNew : writable;
  const mayWrite = (path: string): boolean => (canWrite || isNew) && namesToWrite.test(withoutRoot(path, gitFolder));
  const statsOf = (path: string): Promise<BigIntStats> =>
    at(path, (folder, name) =>
      name === '' ? stat(folder.place, { bigint: true }) : lstat(folder.at(name), { bigint: true }),
    );
  let indexTime: Promise<bigint> | null = null;
  const look = async (path: string): Promise<FileFacts> => {
    const found = await statsOf(path);
    if (!path.startsWith(`${treeFolder}/`)) return factsOf(found);
    indexTime ??= statsOf(`${gitFolder}/index`).then(
      ({ mtimeNs }) => mtimeNs,
      () => 0n,
    );
    // A file that changed when the index was written can have the times that are in it, and another content.
    return found.mtimeNs < (await indexTime) ? factsOf(found) : { ...factsOf(found), mtimeNanoseconds: -1 };
  };
  return {
    readFile: (path, options) =>
      at(path, async (folder, name, isInGit) => {
        const bytes = await readWhole(folder, name, isInGit ? mostPackBytes : mostFileBytes);
        return isText(options) ? bytes.toString('utf8') : bytes;
      }),
    writeFile: async (path, content) => {
      if (!mayWrite(path)) return refuse(path);
      return at(path, (folder, name) =>
        writeNew(folder, name, { content, replaces: !path.startsWith(`${gitFolder}/objects/`) }),
      );
    },
    mkdir: async (path) => {
      if (!mayWrite(path)) return refuse(path);
      return at(path, async (folder, name) => mkdir(folder.at(name)));
    },
    readdir: (path) =>
      at(path, async (folder, name) => {
        if (name === '') return readdir(folder.place);
        const inner = await openChildFolder(folder, name, places.calls);
        try {
          return await readdir(inner.place);
        } finally {
          await inner.close();
        }
      }),
    stat: async (path) => {
      const found = await look(path);
      if (found.isSymbolicLink()) throw codedError('ENOENT', path);
      return found;
    },
    lstat: look,
    readlink: (path) => at(path, async (folder, name) => readlink(folder.at(name), { encoding: 'buffer' })),
    // A new repository has nothing to remove, and the library removes what it need not keep.
    unlink: (path) => (isNew ? Promise.reject(codedError('ENOENT', path)) : refuse(path)),
    rmdir: refuse,
    symlink: (_target, path) => refuse(path),
  };
}

/** Git keeps 32 bits of each number, and nanoseconds, which no number of milliseconds has exactly. */
function factsOf(found: BigIntStats): FileFacts {
  const { mtimeNs, ctimeNs, dev, ino, mode, uid, gid, size } = found;
  const bits = (value: bigint): number => Number(BigInt.asUintN(32, value));
  return {
    isDirectory: () => found.isDirectory(),
    isFile: () => found.isFile(),
    isSymbolicLink: () => found.isSymbolicLink(),
    mtimeSeconds: bits(mtimeNs / 1_000_000_000n),
    mtimeNanoseconds: bits(mtimeNs % 1_000_000_000n),
    ctimeSeconds: bits(ctimeNs / 1_000_000_000n),
    ctimeNanoseconds: bits(ctimeNs % 1_000_000_000n),
    dev: bits(dev),
    ino: bits(ino),
    mode: Number(mode),
    uid: bits(uid),
    gid: bits(gid),
    size: Number(size),
  };
}

/** Replaces the commit of a branch, as git does it: with a lock, and only if the branch still is at `from`. */
export async function moveBranch(
  places: RepositoryPlaces,
  { branch, from, to }: { readonly branch: string; readonly from: string | null; readonly to: string },
  signal: AbortSignal,
): Promise<void> {
  const files = createRepositoryFiles(places, { signal, canWrite: true });
  const path = `${gitFolder}/refs/heads/${branch}`;
  const folders = path.split('/').slice(1, -1);
  for (let depth = 3; depth <= folders.length; depth += 1)
    await files.mkdir(`/${folders.slice(0, depth).join('/')}`).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
  await inFolder(places, { path, signal }, async (folder, name) => {
    const lock = folder.at(`${name}.lock`);
    const handle = await open(lock, 'wx', 0o644).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
      throw new AppError('conflict', `Another program is changing the branch ${branch}. Nothing was changed.`, {
        hint: `If none is, remove ${branch}.lock in .git/refs/heads.`,
      });
    });
    try {
      const now = await readWhole(folder, name, 1024).catch(() => null);
      // A branch that is only in `packed-refs` has no file, and its commit was read just before.
      if (now !== null && now.toString().trim() !== from)
        throw new AppError('conflict', `The branch ${branch} changed meanwhile. Nothing was changed.`);
      await handle.writeFile(`${to}\n`);
      await handle.sync();
    } catch (error) {
      await unlink(lock);
      throw error;
    } finally {
      await handle.close();
    }
    await rename(lock, folder.at(name));
  });
}

async function inFolder<T>(
  places: RepositoryPlaces,
  { path, signal }: { readonly path: string; readonly signal: AbortSignal },
  work: (folder: HostFolder, name: string, isInGit: boolean) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const { root, names, isInGit } = locate(places, path);
  let folder = await openRoot(places, root).catch((error: unknown) => {
    throw isGone(error) ? codedError('ENOENT', path) : error;
  });
  try {
    for (const name of names.slice(0, -1)) {
      const next = await openChildFolder(folder, name, places.calls).catch((error: unknown) => {
        // To the library, what is behind a link is missing.
        throw isGone(error) ? codedError('ENOENT', path) : error;
      });
      await folder.close();
      folder = next;
    }
    return await work(folder, names.at(-1) ?? '', isInGit);
  } catch (error) {
    throw hasCode(error, 'ELOOP') ? codedError('ENOENT', path) : error;
  } finally {
    await folder.close();
  }
}

/** The folder of HEAD and the index. */
export function openGitFolder(places: RepositoryPlaces): Promise<HostFolder> {
  return openRoot(places, places.own);
}

/** `.git` is opened in its project, so that a link that takes its place meanwhile is not followed. */
async function openRoot({ tree, calls }: RepositoryPlaces, root: string): Promise<HostFolder> {
  if (root !== join(tree, '.git')) return openHostFolder(root, calls);
  const project = await openHostFolder(tree, calls);
  try {
    return await openChildFolder(project, '.git', calls);
  } finally {
    await project.close();
  }
}

function locate(
  places: RepositoryPlaces,
  path: string,
): { readonly root: string; readonly names: readonly string[]; readonly isInGit: boolean } {
  const [first, ...names] = path.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) throw codedError('ENOENT', path);
  if (`/${first ?? ''}` === treeFolder) return { root: places.tree, names, isInGit: false };
  if (`/${first ?? ''}` !== gitFolder) throw codedError('ENOENT', path);
  return { root: ownNames.test(names[0] ?? '') ? places.own : places.common, names, isInGit: true };
}

const withoutRoot = (path: string, root: string): string =>
  path.startsWith(`${root}/`) ? path.slice(root.length + 1) : '';

async function readWhole(folder: HostFolder, name: string, most: number): Promise<Buffer> {
  const handle = await openForReading(folder, name);
  try {
    const found = await handle.stat();
    if (found.isDirectory()) throw codedError('EISDIR', name);
    if (!found.isFile()) throw codedError('ENOENT', name);
    if (found.size > most) throw tooLarge(name, found.size);
    const bytes = Buffer.alloc(found.size);
    let filled = 0;
    while (filled < bytes.length) {
      const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  } finally {
    await handle.close();
  }
}

function tooLarge(name: string, bytes: number): AppError {
  const size = `${Math.round(bytes / 1_000_000)} MB`;
  return new AppError('too-large', `${name} has ${size}, which is more than Dewpoint reads at once.`, {
    hint: 'Ask the agent to run git in the sandbox, or run git yourself.',
  });
}

/** All or nothing: an object that is cut off would be damage that git finds much later. */
async function writeNew(
  folder: HostFolder,
  name: string,
  { content, replaces }: { readonly content: Uint8Array | string; readonly replaces: boolean },
): Promise<void> {
  const temporary = folder.at(`tmp_obj_${randomBytes(6).toString('hex')}`);
  const handle = await open(
    temporary,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
    replaces ? 0o644 : 0o444,
  );
  try {
    await handle.writeFile(content);
    await handle.sync();
  } catch (error) {
    await handle.close();
    await unlink(temporary);
    throw error;
  }
  await handle.close();
  if (replaces)
    return rename(temporary, folder.at(name)).catch(async (error: unknown) => {
      await unlink(temporary);
      throw error;
    });
  try {
    // An object of the same name has the same content, so one that is there stays.
    await link(temporary, folder.at(name)).catch(async (error: unknown) => {
      if (hasCode(error, 'EEXIST')) return;
      // A disk such as exFAT has no second names for a file.
      if ((await lstat(folder.at(name)).catch(() => null)) === null) await rename(temporary, folder.at(name));
    });
  } finally {
    await unlink(temporary).catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error;
    });
  }
}

function isText(options: unknown): boolean {
  if (typeof options === 'string') return true;
  return typeof options === 'object' && options !== null && 'encoding' in options && options.encoding === 'utf8';
}

function codedError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
