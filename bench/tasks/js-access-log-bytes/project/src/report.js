import { parseLine } from './parse-line.js';

/** Adds up the traffic of a log by day: Map of day -> {requests, bytes}. */
export function trafficByDay(text) {
  const days = new Map();
  for (const line of text.split('\n')) {
    const entry = parseLine(line);
    if (entry === null) continue;
    const day = days.get(entry.day) ?? { requests: 0, bytes: 0 };
    day.requests += 1;
    day.bytes += entry.size;
    days.set(entry.day, day);
  }
  return days;
}

/** The report as text, a line a day. */
export function report(text) {
  return [...trafficByDay(text)]
    .map(([day, { requests, bytes }]) => `${day}: ${requests} requests, ${bytes} bytes`)
    .join('\n');
}
