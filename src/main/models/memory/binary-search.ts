/** The largest whole number from `low` up to but not including `high` for which `holds`, which is true at `low` and once false stays false. */
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
