import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { playHistory, quickFolder } from '../../../../bench/lib/project/restore-history.ts';

/** Catches: a restore or an undo that loses what a person wrote, or that does not bring back what was there. */
describe('random histories of edits by agent and person', () => {
  it(
    'lose no byte of the person at any restore or undo, and come back to what they were',
    { timeout: 60_000 },
    async () => {
      const folder = await mkdtemp(join(await quickFolder(), 'dewpoint-histories-'));
      const first = Math.floor(Math.random() * 1_000_000);
      const problems: string[] = [];
      try {
        for (let seed = first; seed < first + 12; seed += 1)
          problems.push(...(await playHistory(seed, folder)).problems);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
      expect(problems).toEqual([]);
    },
  );
});
