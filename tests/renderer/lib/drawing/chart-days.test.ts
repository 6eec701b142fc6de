import { expect, it } from 'vitest';
import { daysBetween } from '../../../../src/renderer/lib/drawing/chart-days.ts';

const day = (key: string, calls = 1) => ({ key, calls, localCalls: calls, costUsd: 0 });

/** Catches: days without work that are left out, and a day lost or doubled when the clocks change or a month ends. */
it('the days of a chart are every day from the first to the last, in order', () => {
  const days = daysBetween([day('2026-11-01', 4), day('2026-10-24', 2)]);
  expect(days.map(({ key, calls }) => `${key.slice(5)} ${calls}`)).toEqual([
    '10-24 2',
    '10-25 0',
    '10-26 0',
    '10-27 0',
    '10-28 0',
    '10-29 0',
    '10-30 0',
    '10-31 0',
    '11-01 4',
  ]);
  expect(daysBetween([day('2026-03-01')], 3).map(({ key }) => key)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
  expect(daysBetween([], 3)).toEqual([]);
});
