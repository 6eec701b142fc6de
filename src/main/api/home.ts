import { createHash } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@shared/errors.ts';
import { type FileLock, tryLock } from '../lib/file-lock.ts';
import { isDiskFull, makeFolder, writeProblem } from '../lib/json-file.ts';

/** The process that owns a home: its engine, purse, sandboxes and logs. All others are its clients. */
export type HomeClaim =
  | { readonly type: 'owner'; readonly socketPath: string; release(): Promise<void> }
  | { readonly type: 'owned'; readonly socketPath: string; readonly pid: number };

/**
 * Claims a home, or says who has it. An owner that died is replaced; of several who notice only one becomes the next.
 * Rejects with `home-busy` when that does not settle within two seconds, with `disk-full`, and with `bad-input` when the
 * home cannot be written.
 */
export async function claimHome(home: string): Promise<HomeClaim> {
  await makeFolder(home, 0o700).catch(refuse(home));
  const path = join(home, 'owner.json');
  const socketPath = socketPathOf(home);
  const attempt = await tryLock(path).catch(refuse(home));
  if (attempt.type === 'taken') {
    return { type: 'owner', socketPath, release: () => releaseHome(attempt.lock, socketPath) };
  }
  if (attempt.pid !== null) return { type: 'owned', socketPath, pid: attempt.pid };
  throw new AppError('home-busy', `The folder ${home} is in use, and its owner does not answer.`, {
    hint: `If no Dewpoint is running, remove ${path}.`,
  });
}

/** Unix sockets have short names only, so a deep home gets one beside the system's temporary files. */
export function socketPathOf(home: string): string {
  const name = createHash('sha256').update(home).digest('hex').slice(0, 16);
  if (process.platform === 'win32') return `\\\\.\\pipe\\dewpoint-${name}`;
  const inside = join(home, 'core.sock');
  if (Buffer.byteLength(inside) <= 100) return inside;
  const user = typeof process.getuid === 'function' ? process.getuid() : 'user';
  return join(tmpdir(), `dewpoint-${user}-${name}.sock`);
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

/** The socket goes first: whoever claims the home next makes its own under the same name. */
async function releaseHome(lock: FileLock, socketPath: string): Promise<void> {
  if (!(await lock.isHeld())) return;
  if (process.platform !== 'win32') await unlink(socketPath).catch(() => undefined);
  await lock.release();
}
