import { describe, expect, it } from 'vitest';
import {
  isQuiet,
  nextTime,
  waitForQuiet,
  waitForTime,
} from '../../../../src/main/sessions/calibrations/wait-for-quiet.ts';

const signal = new AbortController().signal;

describe('the wait for an idle machine', () => {
  it('ends when neither you nor another program uses it', async () => {
    const working = [true, false, false, false];
    const shares = [0.9, 0.1];
    let looks = 0;
    const source = {
      isWorking: () => working.shift() ?? false,
      busyShare: async () => {
        looks += 1;
        return shares.shift() ?? 0;
      },
      now: () => 0,
      lookEveryMs: 1,
    };
    await waitForQuiet(source, signal);
    expect([looks, shares]).toEqual([2, []]);
  });

  it('does not end if you begin something while it is measured', async () => {
    const working = [false, true];
    const source = { isWorking: () => working.shift() ?? false, busyShare: async () => 0, now: () => 0 };
    expect(await isQuiet(source, signal)).toBe(false);
  });

  it('ends at once when it is cancelled', async () => {
    const stop = new AbortController();
    const waiting = waitForQuiet({ isWorking: () => true, now: () => 0, lookEveryMs: 60_000 }, stop.signal);
    stop.abort();
    await expect(waiting).rejects.toThrow('abort');
  });
});

describe('the wait for a time', () => {
  it.each([
    ['later today', '23:00', 30, 23],
    ['tomorrow', '03:30', 31, 3],
    ['tomorrow, if it is that time now', '12:00', 31, 12],
  ] as const)('is for the next time that the clock shows it: %s', (_when, at, day, hour) => {
    const next = new Date(nextTime(at, new Date(2026, 11, 30, 12, 0).getTime()));
    expect([next.getDate(), next.getHours()]).toEqual([day, hour]);
  });

  it('goes by the clock, also after the machine slept', async () => {
    const clock = [0, 5, 10_000];
    await waitForTime({ isWorking: () => false, now: () => clock.shift() ?? 10_000, lookEveryMs: 1 }, 9_000, signal);
    expect(clock).toEqual([]);
  });
});
