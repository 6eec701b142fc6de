import { expect, it } from 'vitest';
import { sampled } from '../../fakes/sampled.ts';
import { runEndpointSchedules } from '../../generated/endpoint-schedules.ts';

const schedules = sampled(1_000, 20);

/** Catches: an answer meant for another caller, an overtaken call, a call that goes on for nobody, a passed limit. */
it(
  `two clients and a session at once get their own answers, over ${schedules} schedules`,
  { timeout: 600_000 },
  async () => {
    const { faults, calls, givenUp } = await runEndpointSchedules(schedules);
    expect(faults).toEqual([]);
    expect(calls).toBeGreaterThan(4 * schedules);
    expect(givenUp).toBeGreaterThan(0);
  },
);
