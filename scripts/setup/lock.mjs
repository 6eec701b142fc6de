import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { say } from './say.mjs';

/**
 * Lets only one process at a time on this machine run a slow job. A lock whose process is gone is taken over. The lock
 * is released when `work` ends, also when it fails.
 * @template T
 * @param {string} file
 * @param {string} what for the message to a process that waits
 * @param {() => Promise<T> | T} work
 * @returns {Promise<T>}
 */
export async function withLock(file, what, work) {
  mkdirSync(dirname(file), { recursive: true });
  for (let told = false; !take(file);) {
    if (!told) say(`waiting for another process that is ${what}`);
    told = true;
    await wait(300);
  }
  const release = () => rmSync(file, { force: true });
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.removeListener('exit', release);
    release();
  }
}

/** @param {string} file */
function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    if (isAlive(file)) return false;
    rmSync(file, { force: true });
    return take(file);
  }
}

/** @param {string} file */
function isAlive(file) {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    // Between its creation and the write of the number, a lock file is empty for an instant.
    if (pid > 0) process.kill(pid, 0);
    return true;
  } catch (error) {
    // ENOENT: the lock was released a moment ago. Removing it now could remove the next owner's lock.
    return error.code === 'EPERM' || error.code === 'ENOENT';
  }
}
