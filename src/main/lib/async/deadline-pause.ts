import { sleptTime } from './slept-time.ts';

/** Pauses a deadline: time between `begin` and `end` does not count. */
export interface DeadlinePause {
  readonly begin: () => void;
  readonly end: () => void;
  readonly during: <T>(work: () => Promise<T>) => Promise<T>;
  /** All paused time so far, including a pause in progress, in milliseconds. */
  readonly heldMs: () => number;
}

export function createDeadlinePause(now: () => number = () => performance.now()): DeadlinePause {
  let holders = 0;
  let since = 0;
  let before = 0;
  const begin = (): void => {
    if (holders === 0) since = now();
    holders += 1;
  };
  const end = (): void => {
    if (holders === 0) return;
    holders -= 1;
    if (holders === 0) before += now() - since;
  };
  return {
    begin,
    end,
    during: async (work) => {
      begin();
      try {
        return await work();
      } finally {
        end();
      }
    },
    heldMs: () => before + (holders > 0 ? now() - since : 0),
  };
}

/** While time is paused, a timer checks again after this long. */
const lookAgainMs = 100;

/** A timer that does not count paused time or the sleep of the machine. The returned function stops it. */
export function timerWithPauses(milliseconds: number, heldMs: () => number, act: () => void): () => void {
  const startedAt = performance.now();
  const uncountedMs = (): number => heldMs() + sleptTime.steadyMs();
  const before = uncountedMs();
  let timer: NodeJS.Timeout;
  const look = (): void => {
    const left = milliseconds - (performance.now() - startedAt) + (uncountedMs() - before);
    if (left <= 0) act();
    else timer = setTimeout(look, Math.max(left, lookAgainMs));
  };
  timer = setTimeout(look, milliseconds);
  return () => clearTimeout(timer);
}
