import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCodeOf } from '../lib/json-file.ts';
import { sleep } from '../lib/abort.ts';

/**
 * Lets one process of this machine at a time do something slow. The lock of a process that is gone is taken over;
 * it is released when `work` ends, however it ends. Rejects with the signal's reason when it aborts while waiting.
 */
export async function withFileLock<T>(
  path: string,
  options: { readonly signal: AbortSignal; readonly onWait: () => void },
  work: () => Promise<T>,
): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  for (let told = false; !(await take(path)); told = true) {
    if (!told) options.onWait();
    await sleep(300, options.signal);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function take(path: string): Promise<boolean> {
  try {
    await writeFile(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw error;
    if (!(await isAbandoned(path))) return false;
    await rm(path, { force: true });
    return false;
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  try {
    const pid = Number(await readFile(path, 'utf8'));
    // Between its creation and the write of the number a lock is empty for an instant.
    if (!(pid > 0)) return false;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    // Another user's process lives, too; a lock that is gone was released.
    return errorCodeOf(error) === 'ESRCH';
  }
}
