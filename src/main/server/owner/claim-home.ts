import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@shared/errors.ts';
import { type FileLock, tryLock } from '../../lib/files/file-lock.ts';
import { isDiskFull, makeFolder, writeProblem } from '../../lib/files/json-file.ts';
import { makePrivate, privacyOf } from '../../lib/files/private-folder.ts';
import { findSocketPath, createSocketPath, removeSocketPath } from './socket-path.ts';

/** The process that owns a home: its engine, reservation log, sandboxes and logs. All others are its clients. */
export type HomeClaim = {
  readonly socketPath: string;
  /** A warning about the folder for the user; null: none. */
  readonly warning: string | null;
} & ({ readonly type: 'owner'; release(): Promise<void> } | { readonly type: 'owned'; readonly pid: number });

/**
 * Claims a home, or returns who owns it. A dead owner is replaced; if several processes notice, only one becomes the
 * next owner. A home that others can access is made private to this user. Rejects with `home-busy` if this does not
 * settle within two seconds, with `disk-full`, with `bad-input` if the home cannot be written, and with `refused` if
 * the home or the path to its owner belongs to another user.
 */
export async function claimHome(home: string): Promise<HomeClaim> {
  await makeFolder(home).catch(refuse(home));
  const warning = await makeHomePrivate(home);
  const path = join(home, 'owner.json');
  const attempt = await tryLock(path).catch(refuse(home));
  if (attempt.type === 'taken') {
    const { lock } = attempt;
    try {
      const socketPath = await createSocketPath(home);
      return { type: 'owner', socketPath, warning, release: () => releaseHome(lock, home, socketPath) };
    } catch (error) {
      await lock.release();
      throw error;
    }
  }
  if (attempt.pid !== null) {
    return { type: 'owned', socketPath: await findSocketPath(home), warning, pid: attempt.pid };
  }
  throw new AppError('home-busy', `The folder ${home} is in use, and its owner does not answer.`, {
    hint: `If no Dewpoint is running, remove ${path}.`,
  });
}

/** The contents of a home are trusted, so nobody else may be able to read or write them. */
async function makeHomePrivate(home: string): Promise<string | null> {
  const folder = await realpath(home);
  const before = await privacyOf(folder);
  const now = await makePrivate(folder);
  if (now === 'foreign') {
    const hint = 'Dewpoint keeps its state in a folder of your own. Another folder: DEWPOINT_HOME=DIR';
    throw new AppError('refused', `The folder ${home} belongs to another user of this machine.`, { hint });
  }
  if (now === 'open') {
    return `Other users of this machine can look into ${home}, and its file system does not let that be changed. Another folder: DEWPOINT_HOME=DIR`;
  }
  return before === 'open' ? `Other users of this machine could look into ${home}. It is yours alone now.` : null;
}

function refuse(home: string): (cause: unknown) => never {
  return (cause) => {
    if (isDiskFull(cause)) {
      const hint = 'Make room and try again.';
      throw new AppError('disk-full', `The disk is full: nothing can be written to ${home}.`, { hint, cause });
    }
    const hint = 'Dewpoint keeps its state there. Another folder: DEWPOINT_HOME=DIR';
    throw new AppError('bad-input', `The folder ${home} cannot be used: ${writeProblem(cause)}.`, { hint, cause });
  };
}

/** Removes the socket first, because the next owner creates its own under the same name. */
async function releaseHome(lock: FileLock, home: string, socketPath: string): Promise<void> {
  if (!(await lock.isHeld())) return;
  await removeSocketPath(home, socketPath);
  await lock.release();
}
