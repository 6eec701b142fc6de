import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { watchForStalls } from '../../../../../src/main/models/providers/call/stall-watch.ts';

/**
 * Catches: a long wait for a service whose connection was lost while the machine slept, and a slow service that is
 * given up because of a sleep that did not happen.
 */
describe('a stream that the machine slept through', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const { signal } = new AbortController();

  async function* lost(): AsyncIterable<string> {
    yield 'first';
    await new Promise(() => undefined);
  }

  async function endOf(wallMs: () => number, wokenMs?: number): Promise<string> {
    const slept = { wallMs, steadyMs: () => 0 };
    const clock = wokenMs === undefined ? { slept } : { slept, wokenMs };
    const reading = (async () => {
      for await (const _ of watchForStalls(lost(), () => 90_000, signal, clock));
      return 'its end';
    })().catch((error: unknown) => String(error));
    await vi.advanceTimersByTimeAsync(400_000);
    return reading;
  }

  it('is given up soon after the machine woke up', async () => {
    const begun = performance.now();
    const sleep = (): number => (performance.now() - begun >= 10_000 ? 3_600_000 : 0);
    expect(await endOf(sleep, 30_000)).toBe('StalledError: Nothing came for 30 seconds after the machine woke up.');
  });

  it('has its usual time without sleep, or for a local model', async () => {
    expect(await endOf(() => 0, 30_000)).toBe('StalledError: Nothing came for 90 seconds.');
    const begun = performance.now();
    const sleep = (): number => (performance.now() - begun >= 10_000 ? 3_600_000 : 0);
    expect(await endOf(sleep)).toBe('StalledError: Nothing came for 90 seconds.');
  });
});
