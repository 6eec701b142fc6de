import { describe, expect, it } from 'vitest';
import { seeded } from '../../bench/lib/seeded.ts';
import { sampled } from '../fakes/sampled.ts';
import { runHostilePrograms } from '../generated/hostile-programs.ts';
import { isWithoutEngine, startSandbox } from './docker-kit.ts';

const programs = sampled(1_000, 10);

describe.skipIf(isWithoutEngine)('hostile programs that call tools', () => {
  /** Catches: a call that was not announced or approved, a fenced text that leaves, and a process that stays. */
  it(`have only approved effects, over ${programs} programs`, { timeout: 3_600_000 }, async () => {
    const session = await startSandbox();
    try {
      const { effects, attempts } = await runHostilePrograms(session, programs, seeded(34));
      expect(effects).toEqual([]);
      expect(attempts).toBeGreaterThan(programs);
    } finally {
      await session.close();
    }
  });
});
