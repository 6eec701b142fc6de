import { access, constants } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { startPathRace, type RaceAnswer } from '../../tests/fakes/path-race.ts';
import type { BenchRow } from './rows.ts';

/** One operation alone mostly waits for the system. With this many at once, each takes a quarter of the time. */
const atOnce = 16;

/**
 * Does everything that the host itself does in a project, while a folder in it is swapped with a link to the outside.
 */
export async function racePaths(rounds: number): Promise<readonly BenchRow[]> {
  const race = await startPathRace(await quickFolder());
  const counts: Record<RaceAnswer, number> = { inside: 0, refused: 0, leaked: 0 };
  const idle: string[] = [];
  try {
    for (const [name, tryOnce] of Object.entries(race.strategies)) {
      const before = { ...counts };
      for (let left = rounds; left > 0; left -= atOnce) {
        const answers = await Promise.all(Array.from({ length: Math.min(left, atOnce) }, tryOnce));
        for (const answer of answers) counts[answer] += 1;
      }
      const inside = counts.inside - before.inside;
      if (inside === 0) idle.push(name);
      // A whole run takes long, so progress is printed in case it is stopped.
      console.error(
        `sandbox: ${rounds} of ${name}: ${inside} met the folder, ${counts.leaked - before.leaked} led out`,
      );
    }
    const outside = await race.outsideWrites();
    const met = `${counts.inside} met the folder, ${counts.refused} the link or nothing`;
    // An operation that never met the folder did not race.
    const isRaced = idle.length === 0;
    const note = `${rounds} each of ${Object.keys(race.strategies).join(', ')}; ${isRaced ? met : `never met: ${idle.join(', ')}`}`;
    const row = (what: string, value: number): BenchRow => ({
      figure: `raced operations on host paths: ${what}`,
      value: isRaced ? value : null,
      unit: '',
      target: { atMost: 0 },
      note,
    });
    return [row('leaks', counts.leaked), row('outside writes', outside.length)];
  } finally {
    await race.stop();
  }
}

/** A folder in memory, if this machine has one: 100,000 copies take minutes there, and half an hour on a disk. */
async function quickFolder(): Promise<string> {
  const shared = '/dev/shm';
  return access(shared, constants.W_OK).then(
    () => shared,
    () => tmpdir(),
  );
}
