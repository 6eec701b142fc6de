import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryPrefix } from '../../files/skipped-folders.ts';

/**
 * `passed`: files written in the container are the person's, and each side can delete those of the other.
 * `unwritable`: the container cannot write or delete here. `foreign`: what it writes belongs to somebody else.
 */
export type UserVerdict = 'passed' | 'unwritable' | 'foreign';

export interface UserProbe {
  /** Names in the workspace: the container makes the first and deletes the second. */
  readonly made: string;
  readonly given: string;
  /** Looks at what came of it and removes both. Never rejects. */
  readonly judge: () => Promise<UserVerdict>;
}

/**
 * Begins a trial of who the container writes as. Null where the host itself cannot write (a full disk, a folder to be
 * read only): then there is nothing to find out.
 */
export async function beginUserProbe(workspacePath: string): Promise<UserProbe | null> {
  const base = `${temporaryPrefix}probe-${randomBytes(8).toString('hex')}`;
  const made = `${base}.made`;
  const given = `${base}.given`;
  const at = (name: string): string => join(workspacePath, name);
  try {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
    await (await open(at(given), flags, 0o600)).close();
  } catch {
    // Where nothing can be written nothing can be tried.
    return null;
  }
  const judge = async (): Promise<UserVerdict> => {
    // The container made nothing that is seen here.
    const found = await lstat(at(made)).catch(() => null);
    const isGivenGone = !(await remove(at(given)));
    if (found === null || !isGivenGone) {
      await remove(at(made));
      return 'unwritable';
    }
    const isDeleted = await remove(at(made));
    return isDeleted && (await isOurs(found.uid, workspacePath)) ? 'passed' : 'foreign';
  };
  return { made, given, judge };
}

/** Whether it was there and is gone now. */
async function remove(path: string): Promise<boolean> {
  return unlink(path).then(
    () => true,
    () => false,
  );
}

async function isOurs(uid: number, workspacePath: string): Promise<boolean> {
  if (process.platform === 'win32') return true;
  // A folder that cannot be looked at has no owner to compare with.
  const folder = await stat(workspacePath).catch(() => null);
  return uid === process.getuid?.() || uid === folder?.uid;
}
