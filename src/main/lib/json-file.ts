import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** What was found at a path: a missing file is no damage, and damage is no exception. */
export type JsonFile<T> =
  | { readonly type: 'missing' }
  | { readonly type: 'value'; readonly value: T }
  /** Not JSON, not what `parse` accepts, or not readable; the file is as it was. */
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
  await writeFileAtomic(path, `${JSON.stringify(value, null, 2)}\n`);
}

export interface AtomicOptions {
  /** Wait until the bytes are on the disk (default true). Without it a power cut may leave an empty file. */
  readonly sync?: boolean;
  readonly mode?: number;
}

/**
 * Replaces a file as a whole: a reader sees the old or the new bytes, never a part. Makes the folder if it is missing.
 * Rejects with the error of the file system (ENOSPC, EACCES …); the old file is then as it was and nothing else remains.
 */
export async function writeFileAtomic(
  path: string,
  bytes: Uint8Array | string,
  options: AtomicOptions = {},
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
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

/** The system's code of an error (`ENOENT`), where it has one. */
export function errorCodeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

export function isMissing(error: unknown): boolean {
  return errorCodeOf(error) === 'ENOENT';
}

/** True for errors that say there is no room: a full disk or a quota. */
export function isDiskFull(error: unknown): boolean {
  const code = errorCodeOf(error);
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG';
}
