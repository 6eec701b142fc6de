import { access, constants } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { startPathRace, type RaceAnswer } from '../../tests/fakes/path-race.ts';
import type { BenchRow } from './rows.ts';

/** One alone waits most of its time for the system: so many beside each other take a quarter of the time each. */
const atOnce = 16;

/** Everything that the host itself does in a project, while a folder in it is swapped with a link that leads out. */
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
      // A whole run takes its time: what was done until then is known also when it is stopped.
      console.error(
        `sandbox: ${rounds} of ${name}: ${inside} met the folder, ${counts.leaked - before.leaked} led out`,
      );
    }
    const outside = await race.outsideWrites();
    const met = `${counts.inside} met the folder, ${counts.refused} the link or nothing`;
    // What never met the folder raced nothing.
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

/** In memory, where this machine has such a folder: 100,000 copies take minutes there, and half an hour on a disk. */
async function quickFolder(): Promise<string> {
  const shared = '/dev/shm';
  return access(shared, constants.W_OK).then(
    () => shared,
    () => tmpdir(),
  );
}
