import { expect, test } from 'vitest';
import { createDownloadTimeLeft } from '@shared/models/download-time-left.ts';
import type { PullProgress } from '@shared/contract/models-contract.ts';

const at = (doneBytes: number, phase: PullProgress['phase'] = 'downloading'): PullProgress => ({
  phase,
  doneBytes,
  totalBytes: 1000,
  text: '',
});

test('the time left of a download is estimated from the last seconds', () => {
  const left = createDownloadTimeLeft();
  expect([
    left(at(500), 0),
    left(at(510), 1_000),
    left(at(520), 2_000),
    left(at(600), 14_000),
    // The download is slower now. Only the last fifteen seconds count.
    left(at(610), 25_000),
  ]).toEqual([null, null, 48_000, 56_000, 429_000]);
});

test('the time left of a download is unknown while nothing comes or the size is unknown', () => {
  const stuck = createDownloadTimeLeft();
  stuck(at(10), 0);
  expect(stuck(at(10), 9_000)).toBeNull();
  const unknown = createDownloadTimeLeft();
  unknown({ ...at(0), totalBytes: null }, 0);
  expect(unknown({ ...at(50), totalBytes: null }, 9_000)).toBeNull();
  const next = createDownloadTimeLeft();
  next(at(900), 0);
  next(at(0, 'verifying'), 1_000);
  expect(next(at(950), 9_000)).toBeNull();
});
