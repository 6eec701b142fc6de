import { describe, expect, it } from 'vitest';
import { isNearlyFull, watchDisk } from '../../../../src/main/sandbox/docker/disk-watch.ts';

const gib = 1024 ** 3;
const mib = 1024 ** 2;

describe('a disk that a command fills', () => {
  it('is nearly full when little is left and the command took it', () => {
    expect(isNearlyFull({ size: 250 * gib, freeAtStart: 40 * gib, free: 0.9 * gib })).toBe(true);
    expect(isNearlyFull({ size: 250 * gib, freeAtStart: 40 * gib, free: 1.1 * gib })).toBe(false);
    expect(isNearlyFull({ size: 300 * mib, freeAtStart: 290 * mib, free: 10 * mib })).toBe(true);
    expect(isNearlyFull({ size: 300 * mib, freeAtStart: 290 * mib, free: 20 * mib })).toBe(false);
  });

  it('that was full before is no reason to end it', () => {
    expect(isNearlyFull({ size: 250 * gib, freeAtStart: 0.5 * gib, free: 0.49 * gib })).toBe(false);
    expect(isNearlyFull({ size: 32 * mib, freeAtStart: 32 * mib, free: 0 })).toBe(false);
  });

  it('is watched without a word while there is room, and the person can still cancel', () => {
    const cancel = new AbortController();
    const watch = watchDisk('.', cancel.signal);
    expect([watch.problem(), watch.signal.aborted]).toEqual([null, false]);
    cancel.abort();
    expect(watch.signal.aborted).toBe(true);
    watch.stop();
  });
});
