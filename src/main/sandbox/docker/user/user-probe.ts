import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@shared/errors.ts';
import { temporaryPrefix } from '../../files/skipped-folders.ts';
import { askDrive } from '../../../lib/files/served-drives.ts';

/**
 * `passed`: the container's files belong to the user, and each side can delete the other's. `unwritable`: the
 * container cannot write or delete here. `foreign`: its files belong to somebody else.
 */
export type UserVerdict = 'passed' | 'unwritable' | 'foreign';

export interface UserProbe {
  /** File names in the workspace. The container makes the first and deletes the second. */
  readonly made: string;
  readonly given: string;
  /** Checks the result and removes both files. Rejects with `timeout` if the drive falls silent. */
  readonly judge: () => Promise<UserVerdict>;
}

/**
 * Begins to test as which user the container writes. Null if the host itself cannot write (a full disk, a read-only
 * folder), because then there is nothing to find out. Rejects with `timeout` if the drive falls silent.
 */
export async function beginUserProbe(workspacePath: string): Promise<UserProbe | null> {
  const base = `${temporaryPrefix}probe-${randomBytes(8).toString('hex')}`;
  const made = `${base}.made`;
  const given = `${base}.given`;
  const at = (name: string): string => join(workspacePath, name);
  try {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
    await askDrive(workspacePath, async () => (await open(at(given), flags, 0o600)).close());
  } catch (error) {
    if (error instanceof AppError && error.code === 'timeout') throw error;
    // Without write access, nothing can be tested.
    return null;
  }
  const judgeThere = async (): Promise<UserVerdict> => {
    // The container made no file that can be seen here.
    const found = await lstat(at(made)).catch(() => null);
    const isGivenGone = !(await remove(at(given)));
    if (found === null || !isGivenGone) {
      await remove(at(made));
      return 'unwritable';
    }
    const isDeleted = await remove(at(made));
    return isDeleted && (await isOurs(found.uid, workspacePath)) ? 'passed' : 'foreign';
  };
  const judge = (): Promise<UserVerdict> => askDrive(workspacePath, judgeThere);
  return { made, given, judge };
}

/** Whether the file existed and is gone now. */
async function remove(path: string): Promise<boolean> {
  return unlink(path).then(
    () => true,
    () => false,
  );
}

async function isOurs(uid: number, workspacePath: string): Promise<boolean> {
  if (process.platform === 'win32') return true;
  // Without access to the folder, there is no owner to compare with.
  const folder = await stat(workspacePath).catch(() => null);
  return uid === process.getuid?.() || uid === folder?.uid;
}
