import { randomBytes } from 'node:crypto';
import { link, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { neverAborts, sleep } from '../async/abort.ts';
import { errorCodeOf, isMissing, makeFolder } from './json-file.ts';
import { isRunning, ownerFrom, thisProcess } from './lock-owner.ts';
import { orNoted } from '../log.ts';

/** A lock that ends with its process: the file says which process holds it. */
export interface FileLock {
  /** False if somebody removed or replaced the file by hand. */
  isHeld(): Promise<boolean>;
  /** Releases the lock. Safe to call twice, and does nothing to another process's lock. */
  release(): Promise<void>;
}

export type LockAttempt =
  | { readonly type: 'taken'; readonly lock: FileLock }
  /**
   * `pid`: the living process that holds the lock, maybe this one; null: others are just taking over from a dead one.
   */
  | { readonly type: 'held'; readonly pid: number | null };

const takeOverTries = 50;
const takeOverWaitMs = 40;
/** On a file system without hard links, a lock is visible before it has contents. */
const emptyForMs = 5_000;

/**
 * Takes the lock at `path`, also from a process that is gone; its folder must exist. Even if processes of this machine
 * try at once and crash midway, at most one holds it at any time. Rejects with the file system's error.
 */
export async function tryLock(path: string): Promise<LockAttempt> {
  const mine = `${JSON.stringify({ ...(await thisProcess()), token: randomBytes(9).toString('hex') })}\n`;
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  await writeFile(temporary, mine, { flag: 'wx', mode: 0o600 });
  try {
    for (let attempt = 0; attempt < takeOverTries; attempt += 1) {
      if (attempt > 0) await sleep(takeOverWaitMs, neverAborts);
      if (await create(path, temporary, mine)) return { type: 'taken', lock: lockOf(path, mine) };
      const found = await readLock(path);
      if (found === null) continue;
      const owner = ownerFrom(found);
      if (owner !== null && (await isRunning(owner))) return { type: 'held', pid: owner.pid };
      if (found === '' && (await isFresh(path))) continue;
      if (await replaceDead(path, found, temporary)) return { type: 'taken', lock: lockOf(path, mine) };
    }
    return { type: 'held', pid: null };
  } finally {
    await rm(temporary, { force: true });
  }
}

/**
 * Runs work that only one process of this machine may do at a time. Waits for others, which may be slow, and checks
 * again every `pollMs`. `onWait` is called once while waiting. Creates the folder. Rejects with the signal's reason if
 * it aborts while waiting.
 */
export async function withFileLock<T>(
  path: string,
  options: { readonly signal: AbortSignal; readonly onWait: () => void; readonly pollMs?: number },
  work: () => Promise<T>,
): Promise<T> {
  await makeFolder(dirname(path));
  let attempt = await tryLock(path);
  if (attempt.type === 'held') options.onWait();
  while (attempt.type === 'held') {
    await sleep(options.pollMs ?? 300, options.signal);
    attempt = await tryLock(path);
  }
  try {
    return await work();
  } finally {
    await attempt.lock.release();
  }
}

function lockOf(path: string, mine: string): FileLock {
  const isHeld = async (): Promise<boolean> => (await readLock(path)) === mine;
  return {
    isHeld,
    release: async () => {
      if (await isHeld()) await rm(path, { force: true });
    },
  };
}

/** A hard link appears with its contents or not at all, and never replaces another lock. */
async function create(path: string, temporary: string, mine: string): Promise<boolean> {
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === 'EEXIST') return false;
    if (code === 'EPERM' || code === 'ENOTSUP' || code === 'EOPNOTSUPP' || code === 'ENOSYS') {
      return createWithoutLink(path, mine);
    }
    throw error;
  }
}

async function createWithoutLink(path: string, mine: string): Promise<boolean> {
  try {
    await writeFile(path, mine, { flag: 'wx', mode: 0o600 });
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

async function isFresh(path: string): Promise<boolean> {
  try {
    // A time in the future comes from a clock that was put back. It says as little as one that is long past.
    return Math.abs(Date.now() - (await stat(path)).mtimeMs) < emptyForMs;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/**
 * Replaces the dead lock that was read by ours. Processes that try at once take turns with a lock of this lock. Only
 * its holder may replace the file, a dead owner can no longer release it, and a new lock is never created over an old
 * one. So a lock that is still dead when it is read here is dead when it is replaced. If a process dies in between, its
 * lock of the lock is taken over in the same way.
 */
async function replaceDead(path: string, dead: string, temporary: string): Promise<boolean> {
  const breaker = await tryLock(`${path}.break`);
  if (breaker.type === 'held') return false;
  try {
    if ((await readLock(path)) !== dead) return false;
    await rename(temporary, path);
    // Only cleans up; the lock is already ours.
    await removeLeftOver(path).catch(orNoted('What an ended process left was not removed', undefined));
    return true;
  } finally {
    await breaker.lock.release();
  }
}

/** Removes temporary files of processes that died between the first write and the lock. */
async function removeLeftOver(path: string): Promise<void> {
  const folder = dirname(path);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${basename(path)}.`) || !name.endsWith('.tmp')) continue;
    const left = join(folder, name);
    const owner = ownerFrom((await readLock(left)) ?? '');
    if (owner !== null && !(await isRunning(owner))) await rm(left, { force: true });
  }
}
