import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { AppError } from '@shared/errors.ts';
import { errorCodeOf, isMissing } from '../lib/json-file.ts';

/** A lock that dies with its process: the file names the process that holds it. */
export interface FileLock {
  /** Gives it free; safe to call twice. */
  release(): Promise<void>;
}

/**
 * Takes the lock at `path`, also from a process that is no longer there. Rejects with AppError `conflict` when a
 * living process (this one too) holds it.
 */
export async function takeLock(path: string, what: string): Promise<FileLock> {
  const mine = `${JSON.stringify({ pid: process.pid, born: await bornAt(process.pid), token: randomBytes(6).toString('hex') })}\n`;
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  await writeFile(temporary, mine, { flag: 'wx', mode: 0o600 });
  try {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      if (await linkNew(temporary, path)) return { release: () => release(path, mine) };
      const holder = await readLock(path);
      if (holder !== null && (await isAlive(holder))) {
        throw new AppError('conflict', `${what} is open in another Dewpoint (process ${processOf(holder)?.pid}).`, {
          hint: 'Close it there first.',
        });
      }
      if (holder !== null && (await replaceStale(path, holder, temporary)))
        return { release: () => release(path, mine) };
    }
    throw new AppError('conflict', `${what} is being opened by another Dewpoint.`, { hint: 'Try again.' });
  } finally {
    await rm(temporary, { force: true });
  }
}

/** A link appears with its contents or not at all, and never over another lock. */
async function linkNew(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function readLock(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/**
 * Puts our lock in the place of the stale one that was read. Many may try: they take turns by a lock of this lock, and
 * whoever finds another than the stale one there has come too late.
 */
async function replaceStale(path: string, stale: string, temporary: string): Promise<boolean> {
  const breaker = await takeLock(`${path}.break`, 'The lock of a session');
  try {
    if ((await readLock(path)) !== stale) return false;
    await rename(temporary, path);
    return true;
  } finally {
    await breaker.release();
  }
}

async function release(path: string, mine: string): Promise<void> {
  if ((await readLock(path)) === mine) await rm(path, { force: true });
}

function processOf(lock: string): { readonly pid: number; readonly born: string | null } | null {
  try {
    const value: unknown = JSON.parse(lock);
    if (typeof value !== 'object' || value === null || !('pid' in value) || typeof value.pid !== 'number') return null;
    return { pid: value.pid, born: 'born' in value && typeof value.born === 'string' ? value.born : null };
  } catch {
    return null;
  }
}

async function isAlive(lock: string): Promise<boolean> {
  const holder = processOf(lock);
  if (!holder) return false;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM: it is there, and belongs to someone else.
    return errorCodeOf(error) === 'EPERM';
  }
  // A number is given to another process some day; the time it began tells them apart where it can be known.
  return holder.born === null || (await bornAt(holder.pid)) === holder.born;
}

/** When a process began, in ticks since the machine did; null where the system does not tell. */
async function bornAt(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The second field is the name in brackets and may hold anything; the 22nd is the start time.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
