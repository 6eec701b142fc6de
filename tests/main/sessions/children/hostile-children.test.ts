import { expect, it } from 'vitest';
import { seeded } from '../../../../bench/lib/seeded.ts';
import { sampled } from '../../../fakes/sampled.ts';
import { runHostileChildren } from '../../../generated/hostile-children.ts';

const scripts = sampled(200, 3);

/** Catches: a child that changes, sends, starts or spends what nobody approved. */
it(`hostile children have no effect that nobody approved, over ${scripts} scripts`, { timeout: 600_000 }, async () => {
  const { effects, attempts, children } = await runHostileChildren(scripts, seeded(33));
  expect(effects).toEqual([]);
  // Otherwise the test tried nothing.
  expect(attempts).toBe(6 * scripts);
  expect(children).toBeGreaterThanOrEqual(scripts);
});
