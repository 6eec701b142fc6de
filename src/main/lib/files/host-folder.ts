import { closeSync, constants, existsSync, fstatSync, openSync } from 'node:fs';
import { chmod, lchmod, lstat, open, realpath, stat, statfs, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCodeOf } from './json-file.ts';
import { askDrive, hasServedDrive } from './served-drives.ts';

/**
 * The only way in which the host accesses a folder that an untrusted program can change: name by name, each looked up
 * in the folder opened before it, following no link. On Linux, a folder or link that is swapped meanwhile cannot lead
 * outside. On other systems there is only the check before opening.
 */
export interface HostFolder {
  /** A path to a name in exactly this folder, even if the path to it has changed (Linux). */
  at(name: string): string;
  /** Such a path to the folder itself. */
  readonly place: string;
  close(): Promise<void>;
}

/** A single name; as bytes if it need not be valid text (Linux). */
type HostName = string | Buffer;

/** Through these paths, the system looks up names in an open folder. */
const hasFolderPaths = process.platform === 'linux' && existsSync('/proc/self/fd');

const notLinks = constants.O_NOFOLLOW ?? 0;
const folderFlags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0);
// Opening a pipe must not block, and a terminal must not become the controlling terminal.
const readFlags = constants.O_RDONLY | notLinks | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/**
 * How system calls are made. `at-once` blocks the process until the system answers: only for a few names that are
 * looked up repeatedly, and only if `callModeFor` allows it.
 */
export type CallMode = 'waiting' | 'at-once';

/** The ids of ext, xfs, btrfs, f2fs, zfs, tmpfs and overlay file systems, which answer repeated lookups from memory. */
const localSystems: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0x01021994, 0x794c7630,
]);

/**
 * Decides how to access a folder: one that another machine or program serves, or with such a drive in it, may never
 * answer. Never rejects.
 */
export async function callModeFor(root: string): Promise<CallMode> {
  if (!hasFolderPaths || (await hasServedDrive(root))) return 'waiting';
  const found = await statfs(root).catch(() => null);
  return found !== null && localSystems.has(found.type) ? 'at-once' : 'waiting';
}

/** Opens the first folder. Its own path may contain links. Rejects with the file system's error. */
export async function openHostFolder(root: string, asking: CallMode = 'waiting'): Promise<HostFolder> {
  if (hasFolderPaths && asking === 'at-once') return folderOfNumber(openSync(root, folderFlags));
  if (hasFolderPaths) return hostFolderOf(await open(root, folderFlags), root);
  if (!(await stat(root)).isDirectory()) throw errorWith('ENOTDIR', root);
  return pathFolder(root);
}

/**
 * Opens a folder inside a folder. Rejects with `ELOOP` or `ENOTDIR` for a link, otherwise with the file system's error.
 */
export async function openChildFolder(
  folder: HostFolder,
  name: HostName,
  asking: CallMode = 'waiting',
): Promise<HostFolder> {
  checkName(name);
  const child = pathIn(folder, name);
  if (hasFolderPaths && asking === 'at-once') return folderOfNumber(openSync(child, folderFlags | notLinks));
  if (hasFolderPaths) return hostFolderOf(await open(child, folderFlags | notLinks), child.toString());
  const found = await lstat(child);
  if (found.isSymbolicLink()) throw errorWith('ELOOP', child);
  if (!found.isDirectory()) throw errorWith('ENOTDIR', child);
  return pathFolder(child.toString());
}

/**
 * Opens a file, folder or device for reading; the caller must check its type before reading. Rejects with `ELOOP` for a
 * link, otherwise with the file system's error.
 */
export async function openForReading(folder: HostFolder, name: HostName): Promise<FileHandle> {
  checkName(name);
  const place = pathIn(folder, name);
  if (!hasFolderPaths && (await lstat(place)).isSymbolicLink()) throw errorWith('ELOOP', name);
  return open(place, readFlags);
}

/** As `openForReading`, for `at-once`: the number of the open file. */
export function openToReadAtOnce(folder: HostFolder, name: string): number {
  checkName(name);
  return openSync(folder.at(name), readFlags);
}

/** Opens a folder only to look up names in it, which needs no read permission (Linux). */
const namingFlags = 0o10000000 | notLinks | (constants.O_DIRECTORY ?? 0);

/**
 * Gives the owner (this user) access to a folder that a program made inaccessible. Follows no link. Rejects with the
 * file system's error.
 */
export async function grantOwnerAccess(folder: HostFolder, name: HostName): Promise<void> {
  checkName(name);
  const place = pathIn(folder, name);
  if (!hasFolderPaths) {
    const found = await lstat(place);
    if (found.isDirectory()) await lchmod(place, (found.mode & 0o7777) | 0o700);
    return;
  }
  const number = openSync(place, namingFlags);
  try {
    await chmod(`/proc/self/fd/${number}`, (fstatSync(number).mode & 0o7777) | 0o700);
  } finally {
    closeSync(number);
  }
}

/** Like `HostFolder.at`, for a name that need not be valid text. */
export function pathIn(folder: HostFolder, name: HostName): string | Buffer {
  return typeof name === 'string' ? folder.at(name) : Buffer.concat([Buffer.from(`${folder.place}/`), name]);
}

/** Whether an error means that a name is gone, or is now something else. */
export function isGone(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errorCodeOf(error) ?? '');
}

/**
 * Whether something exists at a path. If that cannot be checked, it counts as existing, so that nothing is removed by
 * mistake.
 */
export async function mayBeThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => !isGone(error),
  );
}

/** For `catch`: null if a name is gone or is now something else. Rethrows every other error. */
export function nullIfGone(error: unknown): null {
  if (isGone(error)) return null;
  throw error;
}

/** The bytes of a regular file of at most `maxBytes`; null for anything else, including a file that cannot be read. */
export async function readRegularFile(folder: HostFolder, name: string, maxBytes: number): Promise<Buffer | null> {
  const handle = await openForReading(folder, name).catch(() => null);
  if (handle === null) return null;
  try {
    const found = await handle.stat();
    if (!found.isFile() || found.size > maxBytes) return null;
    return await readUpTo(handle, Math.min(found.size, maxBytes) + 1, maxBytes);
  } catch {
    // A file that cannot be read counts as none.
    return null;
  } finally {
    await handle.close();
  }
}

/**
 * The first bytes of a regular file, at most `maxBytes`; null for anything else. Rejects with the file system's error,
 * so that an unreadable file is not mistaken for a missing one.
 */
export async function readStart(folder: HostFolder, name: HostName, maxBytes: number): Promise<Buffer | null> {
  const handle = await openForReading(folder, name);
  try {
    const found = await handle.stat();
    if (!found.isFile()) return null;
    const buffer = Buffer.alloc(Math.min(found.size, maxBytes));
    let filled = 0;
    while (filled < buffer.length) {
      const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  } finally {
    await handle.close();
  }
}

// Reads one byte more than expected, so that a growing file is noticed and never read endlessly.
async function readUpTo(handle: FileHandle, length: number, maxBytes: number): Promise<Buffer | null> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled > maxBytes ? null : buffer.subarray(0, filled);
}

/** Like `openChildFolder`, along several names; null if one of them is missing, a link or not a folder. */
export async function openFolderBelow(
  root: string,
  names: readonly string[],
  asking: CallMode = 'waiting',
): Promise<HostFolder | null> {
  // A folder that cannot be opened counts as missing, here and below.
  let folder = await openHostFolder(root, asking).catch(() => null);
  for (const name of names) {
    if (folder === null) return null;
    const next: HostFolder | null = await openChildFolder(folder, name, asking).catch(() => null);
    await folder.close();
    folder = next;
  }
  return folder;
}

/**
 * Like `readRegularFile`, along several names; also null if one of them is missing, a link or not a folder. Rejects if the
 * drive is silent.
 */
export async function readFileBelow(root: string, names: readonly string[], maxBytes: number): Promise<Buffer | null> {
  return askDrive(root, () => readOnDrive(root, names, maxBytes));
}

/** The path without links. Rejects with the file system's error, or if the drive is silent. */
export async function realPathOf(path: string): Promise<string> {
  return askDrive(path, () => realpath(path));
}

async function readOnDrive(root: string, names: readonly string[], maxBytes: number): Promise<Buffer | null> {
  const folder = await openFolderBelow(root, names.slice(0, -1));
  if (folder === null) return null;
  try {
    return await readRegularFile(folder, names.at(-1) ?? '', maxBytes);
  } finally {
    await folder.close();
  }
}

/**
 * Why a single name of a path cannot be used on this platform; null: it can. A name that only other platforms forbid is
 * fine: a project may have a file called `x:y`.
 */
export function nameProblem(name: string, platform: NodeJS.Platform = process.platform): string | null {
  if (name === '' || name === '.' || name === '..') return 'it is not a valid name';
  if (name.includes('\0')) return 'it holds a NUL character';
  if (name.includes('/')) return 'it is more than one name';
  if (Buffer.byteLength(name) > 255) return 'it is too long';
  if (Buffer.from(name).toString() !== name) return 'it is not valid text';
  if (platform !== 'win32') return null;
  if (/[\\:<>"|?*]/.test(name) || Buffer.from(name).some((byte) => byte < 32))
    return 'it holds a character that Windows forbids';
  if (/[. ]$/.test(name)) return 'it ends with a dot or a space';
  if (/^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)/i.test(name.trimEnd()))
    return 'it is the name of a device';
  if (/~\d+(\.|$)/.test(name)) return 'it may be the short form of another name';
  return null;
}

// What a file system ignores when it compares names: zero-width and direction characters.
const ignorable = /\u00ad|[\u200b-\u200f]|[\u202a-\u202e]|[\u2060-\u206f]|\p{Variation_Selector}|\ufeff/gu;

/**
 * A name in the one form of all spellings that some file system treats as the same: of letters beyond ASCII, too, such as
 * the long s.
 */
export function foldedName(name: string): string {
  // Nearly every name is plain, and folders may hold millions of them.
  if (/^[\u0020-\u007e]*$/.test(name)) return name.toLowerCase();
  return name.normalize('NFKC').replaceAll(ignorable, '').toUpperCase().toLowerCase().normalize('NFKC');
}

/** Whether some file system treats this name as `.git`. */
export function isGitName(name: string): boolean {
  const plain = foldedName(name);
  return /^(\.git|git~\d+)[. ]*(::?\$.*)?$/.test(plain.trim());
}

function checkName(name: HostName): void {
  if (typeof name === 'string' ? nameProblem(name) !== null : !isOneName(name)) throw errorWith('EINVAL', name);
}

/** Whether bytes from a file system are a single name. */
function isOneName(name: Buffer): boolean {
  return !name.includes('/') && !name.includes(0) && !['', '.', '..'].includes(name.toString('latin1'));
}

/** A path to exactly this file or folder, even if the path to it has changed (Linux). `path` is where it was opened. */
export function pathOfOpenFile<Path extends HostName>(handle: FileHandle, path: Path): string | Path {
  return hasFolderPaths ? `/proc/self/fd/${handle.fd}` : path;
}

/** A folder that is already open; `path` is where it was when it was opened. Closing it closes the handle. */
export function hostFolderOf(handle: FileHandle, path: string): HostFolder {
  const place = pathOfOpenFile(handle, path);
  return { at: (name) => join(place, name), place, close: () => handle.close() };
}

function folderOfNumber(number: number): HostFolder {
  const place = `/proc/self/fd/${number}`;
  return { at: (name) => join(place, name), place, close: async () => closeSync(number) };
}

function pathFolder(path: string): HostFolder {
  return { at: (name) => join(path, name), place: path, close: async () => undefined };
}

function errorWith(code: string, path: HostName): Error {
  return Object.assign(new Error(`${code}: ${path.toString()}`), { code });
}
