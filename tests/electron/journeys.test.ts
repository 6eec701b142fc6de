import { expect, it } from 'vitest';
import { walkJourneys } from './journeys/walk-journeys.ts';

/**
 * Catches: a journey of a new user that needs a pointer, leads to a dead end, or cannot be followed with a screen
 * reader.
 */
it.each(['keyboard', 'pointer'] as const)(
  'nineteen journeys of a newcomer can each be finished by %s alone',
  { timeout: 600_000 },
  async (kind) => {
    const wrong: string[] = [];
    let count = 0;
    for await (const { name, effort, deadEnd } of walkJourneys({ kind, looks: 'one' })) {
      count += 1;
      if (deadEnd !== null || effort === null) {
        wrong.push(`${name}: ${deadEnd ?? ''}`);
        process.stdout.write(`DEAD END ${name}: ${deadEnd ?? ''}\n`);
        continue;
      }
      wrong.push(
        ...[...effort.violations, ...effort.lost.map((at) => `${at}: the focus is lost`)].map(
          (one) => `${name}: ${one}`,
        ),
      );
      if (kind === 'keyboard') expect(effort.clicks).toBe(0);
      const { clicks, keys, words, machinery, waitedMs } = effort;
      const waited = (waitedMs / 1000).toFixed(1);
      process.stdout.write(
        `${name}: ${clicks} clicks, ${keys} keys, ${waited} s, ${words} words, ${machinery} of machinery\n`,
      );
    }
    expect(wrong).toEqual([]);
    expect(count).toBe(19);
  },
);
