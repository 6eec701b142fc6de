import { fork } from 'node:child_process';
import { expect, it } from 'vitest';
import { renewByTwo } from '../../bench/lib/sign-in-renewals.ts';

/**
 * Catches: two processes that renew one sign-in at the same time, so that a strict service ends it. The bench `tools`
 * runs 1,000.
 */
it('two processes renew one sign-in again and again, with faults, and lose no token', async () => {
  const outcome = await renewByTwo(60, (env) =>
    fork('tests/faults/renewals-child.mjs', { env: { ...process.env, ...env, NODE_OPTIONS: '--no-warnings' } }),
  );
  expect(outcome).toMatchObject({ lost: 0, reuses: 0, holds: true });
  expect(outcome.renewals).toBeGreaterThanOrEqual(60);
  expect(outcome.faults).toBeGreaterThan(5);
});
