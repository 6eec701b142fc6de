import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FenceBench } from '../../../generated/fence-calls.ts';
import { openFenceBench } from '../../../generated/fence-calls.ts';
import { sampled } from '../../../fakes/sampled.ts';
import { seeded } from '../../../../bench/lib/seeded.ts';

/** About three steps each. */
const sessions = sampled(3_500, 15);

describe('a router that prefers the cloud, with fenced text in the conversation', () => {
  let bench: FenceBench;
  beforeAll(async () => {
    bench = await openFenceBench();
  });
  afterAll(() => bench.close());

  const play = async (isFenced: boolean, most: number) => {
    const sum = { steps: 0, refused: 0, routed: 0, leaked: 0 };
    for (let seed = 1; seed <= most; seed += 1) {
      const run = await bench.run(seeded(seed), { isFenced, touches: true, policy: 'hybrid' });
      sum.steps += run.steps;
      sum.refused += run.refused;
      sum.routed += run.routed;
      sum.leaked += run.leakedBytes;
    }
    return sum;
  };

  it('sends no step there, and no byte past the socket', { timeout: 1_200_000 }, async () => {
    const { steps, refused, routed, leaked } = await play(true, sessions);
    expect({ routed, leaked }).toEqual({ routed: 0, leaked: 0 });
    expect(steps).toBeGreaterThan(2 * sessions);
    expect(refused).toBeGreaterThan(8);
  });

  it('would send both without the fences', async () => {
    const { routed, leaked } = await play(false, 15);
    expect([routed > 5, leaked > 50]).toEqual([true, true]);
  });
});
