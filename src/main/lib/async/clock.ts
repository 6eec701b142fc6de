/**
 * A clock that never goes back. When the wall clock does, this one goes on from where it was, at the speed of the steady
 * clock, until the wall clock has caught up or the process ends.
 */
export function createClock(
  wall: () => number = () => Date.now(),
  steady: () => number = () => performance.now(),
): () => number {
  let last = { at: wall(), steady: steady() };
  return () => {
    const read = steady();
    last = { at: Math.max(wall(), last.at + Math.max(0, read - last.steady)), steady: read };
    return Math.floor(last.at);
  };
}

/** The time of this process, in milliseconds since 1970: it stamps logs and measures what they tell. */
export const clockNow = createClock();
