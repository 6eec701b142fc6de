import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const watch = `
const { workerData: parent } = require('node:worker_threads');
const isThere = () => {
  if (process.ppid !== parent) return false;
  try {
    process.kill(parent, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};
setInterval(() => {
  if (!isThere()) process.kill(process.pid, 'SIGKILL');
}, 500);
`;

/**
 * Ends this process within a second after its parent has ended, however that ended. It watches from a thread of its own:
 * what parses an untrusted file may never come back to its event loop, where it would see that its input has closed. The
 * promise resolves when the thread watches, and only then may anything untrusted be read: the thread cannot start while
 * this one computes.
 */
export async function endWithParent(): Promise<void> {
  // Read here: a busy machine starts the thread late, and an orphan has another parent by then.
  const watcher = new Worker(watch, { eval: true, execArgv: [], workerData: process.ppid });
  await once(watcher, 'online');
  watcher.unref();
}
