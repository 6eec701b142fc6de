import { describe, expect, it } from 'vitest';
import { createSchedule } from '../../../generated/money-schedule.ts';
import { noKeys } from '../../../../src/main/money/reservations/reservations-state.ts';
import { MemoryReservationsFile, memoryReservations } from '../../../fakes/memory-reservations.ts';
import { seeded } from '../../../../bench/lib/seeded.ts';

const day = { ...noKeys, day: '2026-11-21' };

describe('the reservation log of a home', () => {
  // `tests/faults/reservations-kill.test.ts` does the same over real processes.
  it('never lets two processes pass a cap, in random schedules', async () => {
    let granted = 0;
    let refused = 0;
    for (let seed = 1; seed <= 2_000; seed += 1) {
      const file = new MemoryReservationsFile();
      const purses = [memoryReservations(file), memoryReservations(file)];
      const schedule = createSchedule({ random: seeded(seed), calls: 8, name: 'n', processes: 2 });
      // Runs several calls at once, so that one acts between the start and the end of another.
      let goesOn = true;
      while (goesOn) {
        const done = await Promise.all([1, 2, 3].map(() => schedule.step(purses)));
        goesOn = done.some(Boolean);
      }
      expect(schedule.overrun(), `seed ${seed}`).toBeLessThanOrEqual(0);
      granted += schedule.granted();
      refused += schedule.refused();
    }
    expect(granted).toBeGreaterThan(3_000);
    expect(refused).toBeGreaterThan(3_000);
  });

  it('counts what another process holds in the same file', async () => {
    const file = new MemoryReservationsFile();
    const [one, two] = [memoryReservations(file), memoryReservations(file)];
    const ask = { nano: 60, keys: day, caps: { day: 100 }, step: 1 };
    const first = await one.reserve(ask);
    expect(first.granted).toBe(true);
    expect(await two.reserve(ask)).toEqual({
      granted: false,
      refusal: { scope: 'day', limitNano: 100, spentNano: 0, heldNano: 60 },
    });
    if (first.granted) one.settle(first.id, 10);
    expect((await two.reserve(ask)).granted).toBe(true);
  });

  it('refuses a call whose reservation did not fit on the disk, and goes on when there is room', async () => {
    const file = new MemoryReservationsFile();
    const reservations = memoryReservations(file);
    const ask = { nano: 60, keys: day, caps: { day: 100 }, step: 1 };
    file.room = 50;
    await expect(reservations.reserve(ask)).rejects.toMatchObject({ code: 'disk-full' });
    file.room = 100_000;
    // The line appended to the torn one cannot be read, so its call is refused as well.
    const next = await reservations.reserve(ask).catch(() => reservations.reserve(ask));
    expect(next.granted).toBe(true);
    expect(reservations.sums('day', '2026-11-21')).toMatchObject({ held: 60 });
  });

  it('returns the money of a call only once', async () => {
    const reservations = memoryReservations();
    const grant = await reservations.reserve({ nano: 60, keys: day, caps: {}, step: 1 });
    if (grant.granted) for (const cost of [10, 10]) reservations.settle(grant.id, cost);
    expect(reservations.sums('day', '2026-11-21')).toEqual({ spent: 10, held: 0, raised: 0 });
  });
});
