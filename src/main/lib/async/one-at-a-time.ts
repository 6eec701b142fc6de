/** Lets one caller through at a time, in order of arrival. */
export interface OneAtATime {
  /** Resolves when it is the caller's turn, with a function that ends the turn; null if the signal aborted first. */
  readonly enter: (signal: AbortSignal) => Promise<(() => void) | null>;
  readonly isFree: () => boolean;
}

export function createOneAtATime(): OneAtATime {
  const waiting: (() => void)[] = [];
  let isTaken = false;
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) isTaken = false;
    else next();
  };
  const once = (): (() => void) => {
    let isLeft = false;
    return () => {
      if (!isLeft) leave();
      isLeft = true;
    };
  };
  return {
    isFree: () => !isTaken,
    enter: (signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(null);
        if (!isTaken) {
          isTaken = true;
          return resolve(once());
        }
        const start = (): void => {
          signal.removeEventListener('abort', giveUp);
          resolve(once());
        };
        const giveUp = (): void => {
          waiting.splice(waiting.indexOf(start), 1);
          resolve(null);
        };
        waiting.push(start);
        signal.addEventListener('abort', giveUp, { once: true });
      }),
  };
}
