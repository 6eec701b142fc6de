import { describe, expect, it } from 'vitest';
import { createClock } from '../../../../src/main/lib/async/clock.ts';
import { createSleptTime } from '../../../../src/main/lib/async/slept-time.ts';

function madeClock() {
  const at = { wall: 1_000_000, steady: 500 };
  const now = createClock(
    () => at.wall,
    () => at.steady,
  );
  const pass = (milliseconds: number): void => {
    at.wall += milliseconds;
    at.steady += milliseconds;
  };
  return { at, now, pass };
}

/** Catches: durations below 0 and limits that last longer, because the clock of the machine was put back. */
describe('the clock of this process', () => {
  it('goes on at its speed when the clock of the machine is put back', () => {
    const { at, now, pass } = madeClock();
    pass(1_000);
    expect(now()).toBe(1_001_000);
    at.wall -= 3_600_000;
    expect(now()).toBe(1_001_000);
    pass(60_000);
    expect(now()).toBe(1_061_000);
    at.wall += 3_600_000;
    expect(now()).toBe(1_061_000);
    at.wall += 5_000;
    expect(now()).toBe(1_066_000);
  });

  it('never goes back, whatever both clocks do', () => {
    const { at, now } = madeClock();
    const steps = [0, 7, -50_000, 12, -1, 90_000, -90_000, 3, 0.4, 0.4, -0.2];
    let last = now();
    for (const wall of steps) {
      for (const steady of [0, 0.5, 1_000, -4]) {
        at.wall += wall;
        at.steady += steady;
        const next = now();
        expect(next).toBeGreaterThanOrEqual(last);
        last = next;
      }
    }
  });

  /** Catches: an hour back and forth that counts as an hour of sleep, by which a time limit is longer. */
  it('does not count a clock that is put back and forth as sleep', () => {
    const { at, now, pass } = madeClock();
    const slept = createSleptTime({ wall: now, steady: () => at.steady, every: () => undefined });
    expect(slept.wallMs()).toBe(0);
    pass(1_000);
    at.wall -= 3_600_000;
    expect(slept.wallMs()).toBe(0);
    pass(1_000);
    at.wall += 3_600_000;
    expect(slept.wallMs()).toBe(0);
  });
});
