import { clockNow } from './clock.ts';

/** How long this process could not run, because the machine slept or the process was stopped. In milliseconds. */
export interface SleptTime {
  /** By the clock that stamps logs. */
  readonly wallMs: () => number;
  /** By the clock of timers. On some systems it stops during sleep; then it has no gap to make up for. */
  readonly steadyMs: () => number;
}

const tickMs = 1_000;
/** A shorter gap is no sleep: a busy machine is late, too. */
const leastGapMs = 5_000;

export interface SleptTimeOptions {
  readonly wall: () => number;
  readonly steady: () => number;
  /** Calls its work about once per second for as long as the process runs. */
  readonly every: (milliseconds: number, work: () => void) => void;
}

/** Reads the clocks once per second. A longer gap was sleep. Starts at the first query. */
export function createSleptTime({ wall, steady, every }: SleptTimeOptions): SleptTime {
  let isTicking = false;
  const [wallGaps, steadyGaps] = [countGaps(wall), countGaps(steady)];
  const look = (gaps: () => number): number => {
    if (!isTicking) {
      isTicking = true;
      for (const begin of [wallGaps, steadyGaps]) begin();
      every(tickMs, () => {
        wallGaps();
        steadyGaps();
      });
    }
    return gaps();
  };
  return { wallMs: () => look(wallGaps), steadyMs: () => look(steadyGaps) };
}

/** The sum of all gaps so far. A query before the next tick includes the latest gap. */
function countGaps(now: () => number): () => number {
  let last: number | null = null;
  let total = 0;
  return () => {
    const at = now();
    const gap = last === null ? 0 : at - last;
    last = at;
    if (gap >= leastGapMs) total += gap;
    return total;
  };
}

export const sleptTime = createSleptTime({
  wall: clockNow,
  steady: () => performance.now(),
  every: (milliseconds, work) => void setInterval(work, milliseconds).unref(),
});
