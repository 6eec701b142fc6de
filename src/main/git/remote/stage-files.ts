import { z } from 'zod';
import type { FileCalls } from '../../lib/files/file-calls.ts';
import type { HostFolder } from '../../lib/files/host-folder.ts';
import { errorCodeOf } from '../../lib/files/json-file.ts';
import { blobId, fileId } from './look-at-disk.ts';

/** What a pull that is at work writes into the lock of the index, before it says which process it is. */
export const lockText = 'dewpoint-pull ';
/** Says in the folder of a pull which process it is. */
export const ownerFile = 'owner.json';
/** Says between which commits it goes, and by their numbers which files it puts where none of the old commit is. */
export const commitsFile = 'commits.json';
export const commitsSchema = z.object({ from: z.string(), to: z.string(), added: z.array(z.number().int()) });
/** One file of a pull, for the next one: its number, its path, and what it was and becomes. Null: it is not there. */
export type PullPath = readonly [at: number, path: string, before: string | null, after: string | null];
/** The folder in `.git` in which a pull keeps new and old files. */
export const stageName = /^dewpoint-pull-(\d{1,9})-[\da-f]{12}$/u;

/** Takes a name only if nobody has it. Rejects with `EEXIST`. */
export async function renameToFree(from: string, to: string, calls: FileCalls): Promise<void> {
  const isLink = (await calls.lstat(from)).isSymbolicLink();
  const isLinked = isLink
    ? false
    : await calls.link(from, to).then(
        () => true,
        (error: unknown) => {
          if (errorCodeOf(error) === 'EEXIST') throw error;
          return false;
        },
      );
  if (isLinked) return calls.unlink(from);
  const there = await calls.lstat(to).catch(() => null);
  if (there !== null) throw Object.assign(new Error('EEXIST'), { code: 'EEXIST' });
  await calls.rename(from, to);
}

/** The id of a file or a link that lies in a folder. */
export async function idOf(stage: HostFolder, name: string, calls: FileCalls): Promise<string> {
  const found = await calls.lstat(stage.at(name));
  if (!found.isSymbolicLink()) return fileId(stage, name, calls);
  return blobId(await calls.readlink(stage.at(name)));
}

export async function isSameEntry(one: string, other: string, calls: FileCalls): Promise<boolean> {
  const [left, right] = await Promise.all([one, other].map((place) => calls.lstat(place).catch(() => null)));
  return left !== null && right !== null && left?.ino === right?.ino && left?.dev === right?.dev;
}
