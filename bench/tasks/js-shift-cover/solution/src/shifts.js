/**
 * A shift is `{ who, from, to }` with times like '08:30' of one day; it starts
 * before it ends.
 */

function toMinutes(time) {
  const [hours, minutes] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

function toTime(minutes) {
  const pad = (number) => String(number).padStart(2, '0');
  return `${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

/** The spans of minutes in which somebody is there, in order; no two of them touch. */
function coveredSpans(shifts) {
  const spans = shifts
    .map(({ from, to }) => ({ start: toMinutes(from), end: toMinutes(to) }))
    .sort((a, b) => a.start - b.start);
  const merged = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (last && span.start <= last.end) {
      last.end = Math.max(last.end, span.end);
    } else {
      merged.push(span);
    }
  }
  return merged;
}

/** The times between `open` and `close` when nobody is there, like '12:00-13:30'. */
export function findGaps(shifts, open, close) {
  const gaps = [];
  const addGap = (start, end) => {
    if (start < end) gaps.push(`${toTime(start)}-${toTime(end)}`);
  };

  const closing = toMinutes(close);
  let free = toMinutes(open);
  for (const { start, end } of coveredSpans(shifts)) {
    addGap(free, Math.min(start, closing));
    free = Math.max(free, end);
  }
  addGap(free, closing);
  return gaps;
}

/** For how many hours somebody is there; hours with several people count once. */
export function coveredHours(shifts) {
  const minutes = coveredSpans(shifts).reduce((sum, { start, end }) => sum + end - start, 0);
  return minutes / 60;
}
