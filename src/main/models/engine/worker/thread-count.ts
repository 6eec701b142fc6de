import { processorTimes } from '../../../lib/processor-times.ts';

/** The use of processor time between two looks, in milliseconds. */
export interface CpuWindow {
  readonly wallMs: number;
  /** This process, all threads together. */
  readonly ownMs: number;
  /** All other programs. */
  readonly othersMs: number;
  /** All cores together. */
  readonly idleMs: number;
}

/**
 * How many threads to compute with from now on. The threads of a step wait for each other, so one that shares its
 * core with another program delays all of them. On two cores beside one busy program, one thread is three to seven
 * times as fast as two. Results do not depend on it.
 */
export function nextThreads(threads: number, most: number, { wallMs, ownMs, othersMs, idleMs }: CpuWindow): number {
  const share = ownMs / (wallMs * threads);
  const others = othersMs / wallMs;
  // Waiting for the disk lowers the share, too, but then no other program is busy.
  if (threads > 1 && share < 0.92 && others > 0.15)
    return Math.max(1, Math.min(threads - 1, Math.floor(threads * share)));
  const idleCores = Math.floor(idleMs / wallMs + 0.15);
  return Math.min(most, threads + Math.max(0, idleCores));
}

export interface ThreadGovernor {
  /** Call it between native calls. It looks at the processor a few times a second. */
  tick(): void;
  /** Forgets the time since the last look, because nothing was computed. */
  rest(): void;
  /** Uses at most half of the threads while `isSlow` is true. */
  slow(isSlow: boolean): void;
}

/** Long enough for the system's counters, which move in steps of 10 ms. */
const windowMs = 300;

export function createThreadGovernor(most: number, set: (threads: number) => void): ThreadGovernor {
  let threads = most;
  let limit = most;
  let last = look();
  return {
    rest() {
      last = look();
    },
    slow(isSlow) {
      const wanted = isSlow ? Math.max(1, Math.floor(most / 2)) : most;
      if (wanted === limit) return;
      limit = wanted;
      threads = isSlow ? Math.min(threads, limit) : limit;
      set(threads);
    },
    tick() {
      if (performance.now() - last.at < windowMs) return;
      const now = look();
      const ownMs = now.ownMs - last.ownMs;
      const next = nextThreads(threads, limit, {
        wallMs: now.at - last.at,
        ownMs,
        othersMs: Math.max(0, now.busyMs - last.busyMs - ownMs),
        idleMs: now.idleMs - last.idleMs,
      });
      last = now;
      if (next === threads) return;
      threads = next;
      set(threads);
    },
  };
}

function look(): { readonly at: number; readonly ownMs: number; readonly busyMs: number; readonly idleMs: number } {
  const { user, system } = process.cpuUsage();
  return { at: performance.now(), ownMs: (user + system) / 1000, ...processorTimes() };
}
