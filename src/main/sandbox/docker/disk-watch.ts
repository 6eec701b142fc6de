import { statfs } from 'node:fs/promises';
import { childAbort } from '../../lib/child-abort.ts';

export interface DiskWatch {
  /** Aborts with the given one, and when the disk is nearly full. */
  readonly signal: AbortSignal;
  /** What happened, for whoever reads the result; null while there is room. */
  readonly problem: () => string | null;
  readonly stop: () => void;
}

const everyMs = 500;
const mebibyte = 1024 * 1024;

/**
 * Ends a command that fills the disk of the project: a folder that is mounted has no limit of its own, and a full disk
 * stops everything else on the machine. Only what was taken while it ran counts, so that a disk that was nearly full
 * before is no reason.
 */
export function watchDisk(path: string, signal: AbortSignal): DiskWatch {
  const child = childAbort(signal);
  let problem: string | null = null;
  let freeAtStart: number | null = null;
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    const found = await statfs(path).catch(() => null);
    isLooking = false;
    if (found === null || found.blocks === 0) return;
    const free = found.bavail * found.bsize;
    freeAtStart ??= free;
    if (problem !== null || !isNearlyFull({ free, freeAtStart, size: found.blocks * found.bsize })) return;
    problem = `ended because the disk is nearly full: ${Math.round(free / mebibyte)} MB are left, ${Math.round((freeAtStart - free) / mebibyte)} MB less than when it began`;
    child.abort();
  };
  void look();
  const timer = setInterval(() => void look(), everyMs);
  timer.unref();
  const stop = (): void => {
    clearInterval(timer);
    child.release();
  };
  return { signal: child.signal, problem: () => problem, stop };
}

/** All in bytes. */
export function isNearlyFull(disk: {
  readonly free: number;
  readonly freeAtStart: number;
  readonly size: number;
}): boolean {
  const least = Math.min(1024 * mebibyte, disk.size * 0.05);
  return disk.free < least && disk.freeAtStart - disk.free > 64 * mebibyte;
}
