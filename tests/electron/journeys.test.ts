import { expect, it } from 'vitest';
import { walkJourneys } from './journeys/walk-journeys.ts';

/**
 * Catches: a journey of a new user that needs a pointer, leads to a dead end, or cannot be followed with a screen
 * reader.
 */
it('ten journeys of a newcomer can each be finished by keyboard alone', { timeout: 240_000 }, async () => {
  const wrong: string[] = [];
  let count = 0;
  for await (const { name, effort, deadEnd } of walkJourneys({ kind: 'keyboard', looks: 'one' })) {
    count += 1;
    if (deadEnd) process.stdout.write(`DEAD ${name}: ${deadEnd}\n`);
    if (deadEnd !== null || effort === null) {
      wrong.push(`${name}: ${deadEnd ?? ''}`);
      continue;
    }
    wrong.push(
      ...[...effort.violations, ...effort.lost.map((at) => `${at}: the focus is lost`)].map((one) => `${name}: ${one}`),
    );
    expect(effort.clicks).toBe(0);
    process.stdout.write(`${name}: ${effort.keys} keys, ${effort.machinery} words of machinery\n`);
  }
  expect(wrong).toEqual([]);
  expect(count).toBe(10);
});
