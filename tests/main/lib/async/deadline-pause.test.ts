import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { timerWithPauses, createDeadlinePause } from '../../../../src/main/lib/async/deadline-pause.ts';

describe('a pause of deadlines', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('counts for no deadline, however many hold it', () => {
    const hold = createDeadlinePause();
    let isOver = false;
    timerWithPauses(1000, hold.heldMs, () => {
      isOver = true;
    });
    vi.advanceTimersByTime(600);
    hold.begin();
    hold.begin();
    vi.advanceTimersByTime(3_600_000);
    hold.end();
    vi.advanceTimersByTime(3_600_000);
    hold.end();
    expect([isOver, hold.heldMs()]).toEqual([false, 7_200_000]);
    vi.advanceTimersByTime(300);
    expect(isOver).toBe(false);
    vi.advanceTimersByTime(200);
    expect(isOver).toBe(true);
  });
});
