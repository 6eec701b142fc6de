import { expect, it } from 'vitest';
import { processorTimes } from '../../../src/main/lib/processor-times.ts';

/** Catches: idle time counted as work, by which a machine would never be idle. */
it('the times of the processors grow with what they do', () => {
  const before = processorTimes();
  const until = performance.now() + 200;
  while (performance.now() < until) before.busyMs.toString();
  const after = processorTimes();
  expect(after.busyMs).toBeGreaterThan(before.busyMs);
  expect(after.idleMs).toBeGreaterThanOrEqual(before.idleMs);
});
