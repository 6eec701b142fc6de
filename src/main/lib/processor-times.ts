import { cpus } from 'node:os';

/** How long all processors together were busy and idle since this machine started. */
export function processorTimes(): { readonly busyMs: number; readonly idleMs: number } {
  let busyMs = 0;
  let idleMs = 0;
  for (const { times } of cpus()) {
    busyMs += times.user + times.nice + times.sys + times.irq;
    idleMs += times.idle;
  }
  return { busyMs, idleMs };
}
