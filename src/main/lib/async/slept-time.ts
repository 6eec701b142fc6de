/** How long this process did not run while it could have: the machine slept, or the process was stopped. Milliseconds. */
export interface SleptTime {
  /** By the clock on the wall, by which logs are stamped. */
  readonly wallMs: () => number;
  /** By the clock of timers: some systems let it stand still while they sleep, and then there is nothing to make good. */
  readonly steadyMs: () => number;
}

const tickMs = 1_000;
/** A busy machine is late, too; less than this is no sleep. */
const leastGapMs = 5_000;

export interface SleptTimeOptions {
  readonly wall: () => number;
  readonly steady: () => number;
  /** Calls its work once a second or so, for as long as the process runs. */
  readonly every: (milliseconds: number, work: () => void) => void;
}

/** The clocks are looked at once a second; a longer gap was sleep. Begins with the first question. */
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

/** All gaps so far; whoever asks before the next tick has the last one in it. */
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
  wall: Date.now,
  steady: () => performance.now(),
  every: (milliseconds, work) => void setInterval(work, milliseconds).unref(),
});
