import { Worker } from 'node:worker_threads';

const watch = `
const parent = process.ppid;
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
 * what parses an untrusted file may never come back to its event loop, where it would see that its input has closed.
 */
export function endWithParent(): void {
  new Worker(watch, { eval: true }).unref();
}
