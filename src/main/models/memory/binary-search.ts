/**
 * The largest whole number from `low` up to but not including `high` for which `holds` is true. `holds` must be true
 * at `low`, and must stay false once it is false.
 */
export function largestThatHolds(low: number, high: number, holds: (value: number) => boolean): number {
  let last = low;
  let end = high;
  while (end - last > 1) {
    const midpoint = Math.floor((last + end) / 2);
    if (holds(midpoint)) last = midpoint;
    else end = midpoint;
  }
  return last;
}
