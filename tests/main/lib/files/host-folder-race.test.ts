import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sampled } from '../../../fakes/sampled.ts';
import { startPathRace, type PathRace, type RaceAnswer } from '../../../fakes/path-race.ts';

/** On a busy machine a single step of the race can take long. */
vi.setConfig({ testTimeout: 1_200_000, hookTimeout: 120_000 });
/** At least this many of each. */
const operations = sampled(100_000, 20);

describe.skipIf(process.platform !== 'linux')('a folder that is constantly swapped for a link', () => {
  let race: PathRace;
  beforeAll(async () => {
    race = await startPathRace();
  });
  afterAll(() => race.stop());

  it.each(['read', 'stat', 'list', 'scan', 'copy', 'break links', 'write', 'remove'])(
    'leads no %s outside',
    async (name) => {
      const seen = new Set<RaceAnswer>();
      // An operation that never met the folder itself was not in a race.
      for (let count = 0; count < operations || !seen.has('inside'); count += 1)
        seen.add((await race.strategies[name]?.()) ?? 'leaked');
      expect(seen).not.toContain('leaked');
      expect(await race.outsideWrites()).toEqual([]);
    },
  );
});
