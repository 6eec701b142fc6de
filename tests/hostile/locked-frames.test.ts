import { describe, expect, it } from 'vitest';
import { frameAttacks, scriptAttacks } from '../fakes/frame-attacks.ts';
import { hostOf, pagesThatReach } from '../fakes/frame-watch.ts';

/**
 * Catches: foreign HTML that opens a connection, or looks up a host. An older engine does not know most of these ways, so
 * a current one is needed.
 */
const all = (evil: string): readonly string[] => [...frameAttacks(evil), ...scriptAttacks(evil)];
const attacks = all('').map((_, index) => all(`http://${hostOf(index)}:8080`)[index] ?? '');
const limits = { timeout: 240_000 };

describe.skipIf(process.env.DEWPOINT_TEST_CHROMIUM === undefined)('foreign pages in a current Chromium', () => {
  it('reach nobody without their scripts', limits, async () => {
    expect(attacks.length).toBeGreaterThan(160);
    const reached = await pagesThatReach(attacks, 'quiet');
    expect(reached.map((index) => attacks[index])).toEqual([]);
  });

  it('reach nobody where their scripts may run', limits, async () => {
    const reached = await pagesThatReach(attacks, 'running');
    expect(reached.map((index) => attacks[index])).toEqual([]);
  });

  it('would reach somebody without a lock, so the attacks are real', limits, async () => {
    const some = attacks.slice(50, 120);
    const reached = await pagesThatReach([...Array.from({ length: 50 }, () => ''), ...some], 'unlocked');
    expect(reached.length).toBeGreaterThan(some.length / 2);
  });
});
