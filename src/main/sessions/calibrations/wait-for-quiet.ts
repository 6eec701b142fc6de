import { setTimeout as wait } from 'node:timers/promises';
import type { CalibrationTime } from '@shared/calibration/calibration.ts';
import { processorTimes } from '../../lib/processor-times.ts';

export interface QuietSource {
  /** Whether the person has something running here. */
  readonly isWorking: () => boolean;
  readonly now: () => number;
  /** How much of all processors is in use, 0 to 1. Absent: it is measured for some seconds. */
  readonly busyShare?: (signal: AbortSignal) => Promise<number>;
  /** Between two looks. */
  readonly lookEveryMs?: number;
}

/** A machine whose processors are in use more than this is not idle. */
const mostBusyShare = 0.25;
const measuredMs = 4_000;
const usualLookMs = 20_000;

/** Resolves at `until`, in milliseconds since 1970. The machine may sleep meanwhile. */
export async function waitForTime(
  { now, lookEveryMs = usualLookMs }: QuietSource,
  until: number,
  signal: AbortSignal,
): Promise<void> {
  for (let left = until - now(); left > 0; left = until - now())
    await wait(Math.min(left, lookEveryMs), undefined, { signal });
}

/** Whether nothing else is done on this machine now. */
export async function isQuiet(source: QuietSource, signal: AbortSignal): Promise<boolean> {
  if (source.isWorking()) return false;
  const share = await (source.busyShare ?? measuredShare)(signal);
  return share <= mostBusyShare && !source.isWorking();
}

/** Resolves when nothing else is done on this machine. */
export async function waitForQuiet(source: QuietSource, signal: AbortSignal): Promise<void> {
  while (!(await isQuiet(source, signal))) await wait(source.lookEveryMs ?? usualLookMs, undefined, { signal });
}

/** The next moment at which the clock shows this time, in milliseconds since 1970. */
export function nextTime(at: NonNullable<CalibrationTime['at']>, now: number): number {
  const [hours = 0, minutes = 0] = at.split(':').map(Number);
  const day = new Date(now);
  day.setHours(hours, minutes, 0, 0);
  if (day.getTime() <= now) day.setDate(day.getDate() + 1);
  return day.getTime();
}

async function measuredShare(signal: AbortSignal): Promise<number> {
  const before = processorTimes();
  await wait(measuredMs, undefined, { signal });
  const after = processorTimes();
  const [busy, idle] = [after.busyMs - before.busyMs, after.idleMs - before.idleMs];
  return busy + idle <= 0 ? 1 : busy / (busy + idle);
}
