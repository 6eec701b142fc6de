import { randomBytes } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, link, lstat, mkdir, open, readdir, rename, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { AppError } from '@shared/errors.ts';
import {
  type HostFolder,
  isGitName,
  nameProblem,
  openChildFolder,
  openForReading,
  openHostFolder,
} from '../../lib/files/host-folder.ts';
import { errorCodeOf, isMissing } from '../../lib/files/json-file.ts';
import { askDrive } from '../../lib/files/served-drives.ts';
import { isRunning } from '../../lib/files/lock-owner.ts';
import { sha256Of } from '../../lib/sha256.ts';

/** What is at a path now. */
export type FileNow =
  | { readonly type: 'missing' }
  | {
      readonly type: 'file';
      /** Null: it is too large to read, or its owner may not read it. */
      readonly sha256: string | null;
      readonly mode: number;
      readonly sizeBytes: number;
      /** When its content, its mode or its name last changed, in milliseconds since 1970. */
      readonly touchedAtMs: number;
    }
  /** A folder, a link or a device. */
  | { readonly type: 'other'; readonly what: string };

/**
 * A folder in which an untrusted program has worked. Files in it are read and written for the user, never through a
 * link and never outside of it. Paths are relative, with `/`. Methods reject with AppError `refused` for a path that
 * leads elsewhere, `disk-full`, or the file system's error.
 */
export interface SafeFolder {
  look(path: string): Promise<FileNow>;
  /**
   * The same, with the bytes of a file whose SHA-256 is known. A file system that does not tell capital letters apart
   * finds a file by another name, too: here it counts as missing.
   */
  read(path: string): Promise<{ readonly now: FileNow; readonly bytes: Uint8Array | null }>;
  /** Replaces or creates a whole file, with missing folders. Replaces an entry only if `isExpected` accepts it. */
  write(
    path: string,
    file: { readonly bytes: Uint8Array; readonly mode: number },
    isExpected: (now: FileNow) => boolean,
  ): Promise<boolean>;
  /** Removes a file if `isExpected` accepts it. */
  remove(path: string, isExpected: (now: FileNow) => boolean): Promise<boolean>;
  /**
   * Removes the folders on the way to a path that are now empty, innermost first, as long as `isMade` accepts the time
   * when each was created (milliseconds since 1970).
   */
  removeEmpty(path: string, isMade: (madeAtMs: number) => boolean): Promise<void>;
  /** Removes what a process that was killed in `write` left beside a path. */
  sweep(path: string): Promise<void>;
}

/** A larger file is not read, and its image was not kept either. */
const maxBytes = 256 * 1024 * 1024;

export function createSafeFolder(root: string): SafeFolder {
  return {
    look: (path) =>
      inParent<FileNow>({ root, path, create: false }, { type: 'missing' }, (folder, name) => look(folder, name)),
    read: (path) => inParent<Found>({ root, path, create: false }, nothing, (folder, name) => readNamed(folder, name)),
    write: (path, file, isExpected) =>
      inParent({ root, path, create: true }, false, async (folder, name, left) => {
        const before = await read(folder, name);
        return isExpected(before.now) && replaceFile(folder, name, { file, before, left });
      }),
    remove: (path, isExpected) =>
      inParent({ root, path, create: false }, false, async (folder, name, left) => {
        const before = await read(folder, name);
        if (!isExpected(before.now) || !(await isStill(folder, name, before))) return false;
        left.throwIfAborted();
        await unlink(folder.at(name));
        return true;
      }),
    sweep: (path) =>
      inParent({ root, path, create: false }, undefined, async (folder) => {
        for (const name of await readdir(folder.place))
          if (await isLeftover(name)) await unlink(folder.at(name)).catch(() => undefined);
      }),
    removeEmpty: async (path, isMade) => {
      const parts = partsOf(path);
      for (let depth = parts.length - 1; depth > 0; depth -= 1) {
        const place = { root, path: parts.slice(0, depth).join('/'), create: false };
        if (!(await inParent(place, false, (folder, name, left) => removeIfEmpty(folder, name, { isMade, left }))))
          return;
      }
    },
  };
}

async function removeIfEmpty(
  folder: HostFolder,
  name: string,
  { isMade, left }: { readonly isMade: (madeAtMs: number) => boolean; readonly left: AbortSignal },
): Promise<boolean> {
  try {
    const found = await lstat(folder.at(name));
    if (!found.isDirectory() || !isMade(found.birthtimeMs)) return false;
    left.throwIfAborted();
    // The system itself refuses to remove a folder that is not empty.
    await rmdir(folder.at(name));
    return true;
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Opens the folder of `path` name by name, refusing links. Returns `fallback` if a folder on the way is missing. Work that
 * was left, because the drive is silent, changes nothing later: the person knows it as not done.
 */
async function inParent<T>(
  place: { readonly root: string; readonly path: string; readonly create: boolean },
  fallback: T,
  work: (folder: HostFolder, name: string, left: AbortSignal) => Promise<T>,
): Promise<T> {
  const parts = partsOf(place.path);
  return askDrive(place.root, (left) =>
    inOpenParent(place, parts, { fallback, work: (folder, name) => work(folder, name, left) }),
  );
}

/** Whether an error of a safe folder says that its drive is silent. */
export function isSilence(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'timeout';
}

/** The same error, for work that had not begun. */
export function nothingChanged({ message, hint }: AppError): AppError {
  return new AppError('timeout', `${message} Nothing was changed.`, hint === undefined ? {} : { hint });
}

async function inOpenParent<T>(
  place: { readonly root: string; readonly path: string; readonly create: boolean },
  parts: readonly string[],
  { fallback, work }: { readonly fallback: T; readonly work: (folder: HostFolder, name: string) => Promise<T> },
): Promise<T> {
  const name = parts.at(-1) ?? '';
  let folder = await openRoot(place.root);
  try {
    for (const part of parts.slice(0, -1)) {
      const next = await openChild(folder, part, place);
      if (next === null) return fallback;
      await folder.close();
      folder = next;
    }
    return await work(folder, name);
  } finally {
    await folder.close();
  }
}

function partsOf(path: string): readonly string[] {
  const parts = path.split('/');
  for (const part of parts) {
    const problem = nameProblem(part);
    if (problem !== null) throw new AppError('refused', `${path} is not a path inside the folder: ${problem}.`);
    // Git on the host runs what is in there, so no change of a session may touch it.
    if (isGitName(part)) throw new AppError('refused', `${path} lies in the data of git.`);
  }
  return parts;
}

async function openRoot(root: string): Promise<HostFolder> {
  try {
    return await openHostFolder(root);
  } catch (error) {
    if (!isMissing(error) && errorCodeOf(error) !== 'ENOTDIR') throw error;
  }
  throw new AppError('not-found', `The folder ${root} is no longer there.`);
}

async function openChild(
  folder: HostFolder,
  name: string,
  { path, create }: { readonly path: string; readonly create: boolean },
): Promise<HostFolder | null> {
  for (;;) {
    try {
      return await openChildFolder(folder, name);
    } catch (error) {
      const code = errorCodeOf(error);
      if (code === 'ELOOP' || code === 'ENOTDIR') throw leadsElsewhere(path, name);
      if (code !== 'ENOENT') throw error;
      if (!create) return null;
      // Another write may make it at the same moment. What is there now is opened as above.
      await mkdir(folder.at(name)).catch((failure: unknown) => {
        if (errorCodeOf(failure) !== 'EEXIST') throw failure;
      });
    }
  }
}

function leadsElsewhere(path: string, name: string): AppError {
  return new AppError('refused', `${path} leads through ${name}, which is a link or no folder.`);
}

interface Found {
  readonly now: FileNow;
  readonly bytes: Uint8Array | null;
  /** Null: there is nothing. */
  readonly entry: BigIntStats | null;
}

const nothing: Found = { now: { type: 'missing' }, bytes: null, entry: null };

async function look(folder: HostFolder, name: string): Promise<FileNow> {
  return (await read(folder, name)).now;
}

async function readNamed(folder: HostFolder, name: string): Promise<Found> {
  const found = await read(folder, name);
  if (found.now.type === 'missing' || !(await isFoundByOtherCase(folder, name))) return found;
  const isThere = (await readdir(folder.place)).some((other) => isSameName(other, name));
  return isThere ? found : nothing;
}

/** Any system can have a disk that does not tell capital letters apart, and one folder of it may. */
async function isFoundByOtherCase(folder: HostFolder, name: string): Promise<boolean> {
  const other = name.toUpperCase() === name ? name.toLowerCase() : name.toUpperCase();
  if (other === name) return false;
  return lstat(folder.at(other)).then(
    () => true,
    () => false,
  );
}

/** File systems store accents in one of two forms. */
const isSameName = (one: string, other: string): boolean => one.normalize() === other.normalize();

/** A file that is written to meanwhile is read again. */
const mostReads = 3;

async function read(folder: HostFolder, name: string): Promise<Found> {
  for (let count = 0; count < mostReads; count += 1) {
    const found = await readOnce(folder, name);
    if (found !== null) return found;
  }
  throw new AppError('conflict', 'another program is writing to it just now');
}

/** Null: it changed while it was read. */
async function readOnce(folder: HostFolder, name: string): Promise<Found | null> {
  let file: FileHandle;
  try {
    const known = await lstat(folder.at(name), { bigint: true });
    if (!known.isFile())
      return otherEntry(known, known.isDirectory() ? 'a folder' : known.isSymbolicLink() ? 'a link' : 'no file');
    if (known.size > maxBytes) return { now: fileNow(known, null), bytes: null, entry: known };
    try {
      file = await openForReading(folder, name);
    } catch (error) {
      if (['EACCES', 'EPERM'].includes(errorCodeOf(error) ?? ''))
        return { now: fileNow(known, null), bytes: null, entry: known };
      // It became a link since the look.
      if (errorCodeOf(error) === 'ELOOP') return otherEntry(known, 'a link');
      throw error;
    }
  } catch (error) {
    if (isMissing(error)) return nothing;
    throw error;
  }
  try {
    const found = await file.stat({ bigint: true });
    if (!found.isFile()) return otherEntry(found, 'no file');
    if (found.size > maxBytes) return { now: fileNow(found, null), bytes: null, entry: found };
    const bytes = await readWhole(file, Number(found.size));
    if (bytes === null || !isSameEntry(found, await file.stat({ bigint: true }))) return null;
    return { now: fileNow(found, sha256Of(bytes)), bytes, entry: found };
  } finally {
    await file.close();
  }
}

const otherEntry = (entry: BigIntStats, what: string): Found => ({ now: { type: 'other', what }, bytes: null, entry });

/** Null: it has another size by now. Never reads more, because a file may grow without end. */
async function readWhole(file: FileHandle, size: number): Promise<Uint8Array | null> {
  const buffer = Buffer.alloc(size + 1);
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled === size ? buffer.subarray(0, size) : null;
}

/** Whether a file was not written, replaced or given another mode. */
function isSameEntry(one: BigIntStats, other: BigIntStats): boolean {
  return (
    one.ino === other.ino &&
    one.mode === other.mode &&
    one.size === other.size &&
    one.mtimeNs === other.mtimeNs &&
    one.ctimeNs === other.ctimeNs
  );
}

/** A file of this size is read in less time than the clock of most file systems ticks. */
const quickBytes = 1024 * 1024;

/** The last look before a name is replaced or removed: what it decides on was read some time before. */
async function isStill(folder: HostFolder, name: string, { entry, now }: Found): Promise<boolean> {
  const found = await lstat(folder.at(name), { bigint: true }).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (found === null || entry === null) return found === entry;
  if (!isSameEntry(entry, found)) return false;
  // A change within a tick of that clock does not show in the times.
  if (now.type !== 'file' || now.sha256 === null || now.sizeBytes > quickBytes) return true;
  const again = (await readOnce(folder, name))?.now;
  return again?.type === 'file' && again.sha256 === now.sha256;
}

function fileNow({ mode, size, mtimeNs, ctimeNs }: BigIntStats, sha256: string | null): FileNow {
  const touchedAtMs = Number(mtimeNs > ctimeNs ? mtimeNs : ctimeNs) / 1_000_000;
  return { type: 'file', sha256, mode: Number(mode & 0o7777n), sizeBytes: Number(size), touchedAtMs };
}

/** Whether a name is that of a temporary file whose process is gone. */
async function isLeftover(name: string): Promise<boolean> {
  const pid = /^\.dewpoint-(\d{1,9})-[\da-f]{12}\.tmp$/u.exec(name)?.[1];
  return pid !== undefined && !(await isRunning({ pid: Number(pid), startedAt: null, boot: null }));
}

interface Replacing {
  readonly file: { readonly bytes: Uint8Array; readonly mode: number };
  /** What is replaced. */
  readonly before: Found;
  readonly left: AbortSignal;
}

/**
 * Writes a temporary file beside it and puts that into place. The owner stays that of the file, or the folder's. False: the
 * entry is another one by then, and stays.
 */
async function replaceFile(folder: HostFolder, name: string, { file, before, left }: Replacing): Promise<boolean> {
  const temporary = folder.at(`.dewpoint-${process.pid}-${randomBytes(6).toString('hex')}.tmp`);
  const owner = await ownerOf(folder, name);
  try {
    const handle = await open(
      temporary,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      0o600,
    );
    try {
      await handle.writeFile(file.bytes);
      if (process.getuid?.() === 0) await handle.chown(owner.uid, owner.gid);
      // Undo and take must not restore set-user-id bits.
      await handle.chmod(file.mode & 0o777);
      await handle.sync();
    } finally {
      await handle.close();
    }
    left.throwIfAborted();
    if (before.entry === null && (await linkedAsNew(temporary, folder.at(name)))) return true;
    if (!(await isStill(folder, name, before))) {
      await rm(temporary, { force: true });
      return false;
    }
    left.throwIfAborted();
    await rename(temporary, folder.at(name));
    return true;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Gives a file its name only if nobody else has taken that, in one step. False: it is taken, or cannot be done here. */
async function linkedAsNew(temporary: string, place: string): Promise<boolean> {
  try {
    await link(temporary, place);
  } catch {
    return false;
  }
  await unlink(temporary);
  return true;
}

async function ownerOf(folder: HostFolder, name: string): Promise<{ readonly uid: number; readonly gid: number }> {
  try {
    return await lstat(folder.at(name));
  } catch (error) {
    if (!isMissing(error)) throw error;
    return stat(folder.place);
  }
}
