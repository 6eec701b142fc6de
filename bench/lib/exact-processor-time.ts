import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds of the processor that a process has used, all its threads together; null where the system does not say. */
export function exactProcessorMs(pid: number): number | null {
  try {
    const nanoseconds = readdirSync(`/proc/${pid}/task`).map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
    );
    return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6;
  } catch {
    return null;
  }
}
