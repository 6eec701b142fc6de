import { fork } from 'node:child_process';
import { expect, it } from 'vitest';
import { sampled } from '../fakes/sampled.ts';
import { renewByTwo } from '../generated/sign-in-renewals.ts';

const renewals = sampled(1_000, 60);

/**
 * Catches: two processes that renew one sign-in at the same time, so that a strict service ends it.
 */
it('two processes renew one sign-in again and again, with faults, without losing a token', async () => {
  const outcome = await renewByTwo(renewals, (env) =>
    fork('tests/faults/renewals-child.mjs', { env: { ...process.env, ...env, NODE_OPTIONS: '--no-warnings' } }),
  );
  expect(outcome).toMatchObject({ lost: 0, reuses: 0, holds: true });
  expect(outcome.renewals).toBeGreaterThanOrEqual(renewals);
  expect(outcome.faults).toBeGreaterThan(5);
});
