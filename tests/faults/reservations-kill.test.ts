import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { seeded } from '../../bench/lib/seeded.ts';
import { sampled } from '../fakes/sampled.ts';
import { createSchedule, type Schedule } from '../generated/money-schedule.ts';
import { forkReservations, openFileReservations } from '../generated/reservations-process.ts';

const schedules = sampled(10_000, 250);
/** So many schedules run at once, so that their calls mix in one file. */
const together = 50;
/** The other process is killed in the middle once in so many schedules. */
const killEvery = sampled(500, 125);

/** Catches: a spending limit that is passed while another process on the same file spends, too, or dies. */
it(`two processes that spend from one file stay within the limit, over ${schedules} schedules with kills`, async () => {
  // Every grant waits for the disk. In memory, where that is there, the disk is not what takes the time.
  const folder = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'dewpoint-reservations-'));
  let [granted, refused] = [0, 0];
  try {
    for (let first = 0; first < schedules; first += killEvery) {
      const path = join(folder, `reservations-${first}.jsonl`);
      const [own, other] = [openFileReservations(path), forkReservations(path)];
      for (let batch = first; batch < first + killEvery; batch += together) {
        const running = Array.from({ length: together }, (_, index) =>
          createSchedule({ random: seeded(batch + index + 1), calls: 10, name: `n${batch + index}`, processes: 2 }),
        );
        if (batch + together >= first + killEvery) setTimeout(other.kill, 5);
        await Promise.all(running.map((schedule) => finish(schedule, [own, other])));
        for (const schedule of running) {
          expect(schedule.overrun()).toBe(0);
          granted += schedule.granted();
          refused += schedule.refused();
        }
      }
      other.kill();
      own.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  expect(granted).toBeGreaterThan(schedules);
  expect(refused).toBeGreaterThan(schedules);
}, 1_200_000);

async function finish(schedule: Schedule, purses: Parameters<Schedule['step']>[0]): Promise<void> {
  let goesOn = true;
  while (goesOn) {
    const done = await Promise.all([schedule.step(purses), schedule.step(purses)]);
    goesOn = done.some(Boolean);
  }
}
