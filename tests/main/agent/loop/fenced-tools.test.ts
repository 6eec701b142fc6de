import { describe, expect, it } from 'vitest';
import { playFencedTools } from '../../../generated/fenced-tool-sessions.ts';
import { sampled } from '../../../fakes/sampled.ts';
import { seeded } from '../../../../bench/lib/seeded.ts';

const sessions = sampled(10_000, 60);

// Catches: a path on which content of a fenced file reaches a server elsewhere.
describe('generated sessions that try to leak fenced text to a server', () => {
  it('send none of it', async () => {
    let stopped = 0;
    for (let seed = 20_001; seed <= 20_000 + sessions; seed += 1) {
      const run = await playFencedTools(seeded(seed), { isFenced: true, touches: true });
      expect([seed, run.leakedBytes, run.positions.join()]).toEqual([seed, 0, run.positions.join()]);
      stopped += run.stopped;
    }
    expect(stopped).toBeGreaterThan((40 * sessions) / 60);
  }, 1_200_000);

  it('would send it without the fence, and are not stopped without fenced text', async () => {
    for (let seed = 20_001; seed <= 20_010; seed += 1) {
      const bare = await playFencedTools(seeded(seed), { isFenced: false, touches: true });
      expect(bare.leakedBytes).toBeGreaterThan(0);
      const free = await playFencedTools(seeded(seed), { isFenced: true, touches: false });
      expect([free.stopped, free.sent > 0]).toEqual([0, true]);
    }
  }, 60_000);
});
