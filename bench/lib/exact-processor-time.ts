import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds of processor time of a process, all its threads together; null where the system does not say. */
export function exactProcessorMs(pid: number): number | null {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + threadMs(pid, thread), 0);
  } catch {
    return null;
  }
}

/** The same for its first thread alone. In a Node process it runs JavaScript, and no native work. */
export function scriptProcessorMs(pid: number): number | null {
  try {
    return threadMs(pid, String(pid));
  } catch {
    return null;
  }
}

function threadMs(pid: number, thread: string): number {
  return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}
