import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { say } from './say.mjs';

/**
 * Lets one process at a time of this machine do something slow. A lock whose process is gone is
 * taken over. The lock is released when `work` ends, however it ends.
 * @template T
 * @param {string} file
 * @param {string} what for the message to the one who waits
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
    // Between creation and the write of the number a lock is empty for an instant.
    if (pid > 0) process.kill(pid, 0);
    return true;
  } catch (error) {
    // ENOENT: released a moment ago. Removing now could hit the lock of the next one.
    return error.code === 'EPERM' || error.code === 'ENOENT';
  }
}
