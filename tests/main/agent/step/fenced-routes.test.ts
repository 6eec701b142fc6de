import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FenceBench } from '../../../../bench/lib/fence-calls.ts';
import { openFenceBench } from '../../../../bench/lib/fence-calls.ts';
import { seeded } from '../../../../bench/lib/seeded.ts';

describe('a router that wants the cloud, over a conversation with something fenced', () => {
  let bench: FenceBench;
  beforeAll(async () => {
    bench = await openFenceBench();
  });
  afterAll(() => bench.close());

  const play = async (isFenced: boolean) => {
    const sum = { steps: 0, refused: 0, routed: 0, leaked: 0 };
    for (let seed = 1; seed <= 15; seed += 1) {
      const run = await bench.run(seeded(seed), { isFenced, touches: true, policy: 'hybrid' });
      sum.steps += run.steps;
      sum.refused += run.refused;
      sum.routed += run.routed;
      sum.leaked += run.leakedBytes;
    }
    return sum;
  };

  // `npm run bench -- router` plays 10,000 such steps.
  it('sends no step of it up, and no byte of it past the socket', async () => {
    const { steps, refused, routed, leaked } = await play(true);
    expect({ routed, leaked }).toEqual({ routed: 0, leaked: 0 });
    expect(steps).toBeGreaterThan(30);
    expect(refused).toBeGreaterThan(8);
  });

  it('would send both up without the fences', async () => {
    const { routed, leaked } = await play(false);
    expect([routed > 5, leaked > 50]).toEqual([true, true]);
  });
});
