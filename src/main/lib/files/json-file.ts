import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The result of reading a path. A missing file does not count as damaged, and a damaged file does not throw. */
export type JsonFile<T> =
  | { readonly type: 'missing' }
  | { readonly type: 'value'; readonly value: T }
  /** Not JSON, not accepted by `parse`, or not readable. The file is left as it is. */
  | { readonly type: 'damaged'; readonly reason: string };

/** Reads and parses one JSON file; `parse` may throw for a wrong shape. Never rejects. */
export async function readJsonFile<T>(path: string, parse: (value: unknown) => T): Promise<JsonFile<T>> {
  try {
    return { type: 'value', value: parse(JSON.parse(await readFile(path, 'utf8'))) };
  } catch (error) {
    if (isMissing(error)) return { type: 'missing' };
    return { type: 'damaged', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Writes `value` as indented JSON; see `writeFileAtomic`. */
export async function writeJsonFile(path: string, value: unknown): Promise<void> {
  await writeFileAtomic(path, jsonText(value));
}

/** Indented and with a line break at the end, for files that people read. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

export interface AtomicOptions {
  /** Wait until the bytes are on disk (default true). Without it, a power cut may leave an empty file. */
  readonly sync?: boolean;
  readonly mode?: number;
}

/**
 * Replaces a file as a whole: a reader sees the old or the new bytes, never a part. Creates the folder if it is
 * missing. File and folder are private to this user unless `mode` says otherwise. Rejects with the error of the file
 * system (ENOSPC, EACCES …); the old file is then unchanged and nothing else remains.
 */
export async function writeFileAtomic(
  path: string,
  bytes: Uint8Array | string,
  options: AtomicOptions = {},
): Promise<void> {
  await makeFolder(dirname(path));
  const temporary = join(dirname(path), `.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const file = await open(temporary, 'wx', options.mode ?? 0o600);
    try {
      await file.writeFile(bytes);
      if (options.sync !== false) await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/**
 * Creates a folder and its parents, private to this user. Existing folders are left as they are. Rejects with the file
 * system's error. Node's own recursive `mkdir` never ends if an existing folder allows no new folders (`/proc`).
 */
export async function makeFolder(path: string, mode = 0o700): Promise<void> {
  try {
    await mkdir(path, mode);
  } catch (error) {
    if (!isMissing(error)) return wantFolder(path, error);
    if (!(await isFolder(dirname(path)))) await makeFolder(dirname(path), mode);
    // Also if another process has created the parent meanwhile.
    await mkdir(path, mode).catch((again: unknown) => wantFolder(path, again));
  }
}

/** Throws the error, unless a folder already exists at the path. */
async function wantFolder(path: string, error: unknown): Promise<void> {
  if (errorCodeOf(error) !== 'EEXIST' || !(await isFolder(path))) throw error;
}

async function isFolder(path: string): Promise<boolean> {
  // What cannot be examined is not a folder to write into.
  const found = await stat(path).catch(() => null);
  return found?.isDirectory() === true;
}

/** The system's code of an error (`ENOENT`); null if it has none. */
export function errorCodeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** Why a file or folder could not be written, for the user; the system's own message if there is no better one. */
export function writeProblem(error: unknown): string {
  const problem = writeProblems.get(errorCodeOf(error) ?? '');
  return problem ?? (error instanceof Error ? error.message : String(error));
}

const writeProblems = new Map([
  ['EROFS', 'it is on a read-only disk'],
  ['EACCES', 'you have no permission to write there'],
  ['EPERM', 'you have no permission to write there'],
  ['ENOENT', 'its folder does not exist and cannot be created'],
  ['ENOTDIR', 'a part of its path is a file'],
  ['EEXIST', 'a file is in its place'],
  ['EISDIR', 'it is a folder'],
  ['ENAMETOOLONG', 'its name is too long'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the quota is used up'],
]);

export function isMissing(error: unknown): boolean {
  return errorCodeOf(error) === 'ENOENT';
}

/** Whether an error means that there is no room: a full disk or a quota. */
export function isDiskFull(error: unknown): boolean {
  const code = errorCodeOf(error);
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG';
}
