import type { Reservations } from '../../src/main/money/reservations/reservations.ts';
import type {
  ReservationsCaps,
  ReservationsKeys,
  ReservationScope,
} from '../../src/main/money/reservations/reservations-state.ts';
import { scopes } from '../../src/main/money/reservations/reservations-state.ts';

/**
 * A random schedule of calls on one reservation log: who asks when, what each call costs in the end, and which process
 * dies in between. It keeps its own accounts, independent of the reservation log, and reports by how much a limit was
 * ever exceeded.
 */
/** The part of a reservation log that a schedule uses, in this process or in another one. */
export type ScheduleReservations = Pick<Reservations, 'reserve' | 'settle' | 'raise'>;

export interface Schedule {
  /** Does the next thing. False: nothing is left to do. */
  step(purses: readonly ScheduleReservations[]): Promise<boolean>;
  /** The most nanodollars above a limit at any moment, over all sums. 0: every limit held. */
  readonly overrun: () => number;
  readonly granted: () => number;
  readonly refused: () => number;
}

interface Running {
  readonly id: string;
  readonly process: number;
  readonly keys: ReservationsKeys;
  readonly worst: number;
}

export interface ScheduleOptions {
  readonly random: () => number;
  readonly calls: number;
  /** Separates the sums of different schedules in one file. */
  readonly name: string;
  /** How many processes share the reservation log. */
  readonly processes: number;
}

export function createSchedule({ random, calls, name, processes }: ScheduleOptions): Schedule {
  const whole = (below: number): number => Math.floor(random() * below);
  const caps: Record<ReservationScope, number> = {
    task: 1 + whole(400),
    session: 1 + whole(700),
    project: 1 + whole(1000),
    day: 1 + whole(1200),
    month: 1 + whole(1500),
  };
  const isCapped = Object.fromEntries(scopes.map((scope) => [scope, random() < 0.7]));
  const bills = new Map<string, number>();
  const limits = new Map<string, number>();
  const running: Running[] = [];
  const counts = { asked: 0, granted: 0, refused: 0, overrun: 0 };

  const keys = (): ReservationsKeys => ({
    task: `${name}/t${whole(3)}`,
    session: `${name}/s${whole(2)}`,
    project: random() < 0.2 ? null : `${name}/p`,
    // The clock jumps back and forth across midnight and the end of the month.
    day: `${name}/2026-11-${30 - whole(2)}`,
    month: `${name}/2026-1${whole(2)}`,
  });
  const ask = async (purses: readonly ScheduleReservations[]): Promise<void> => {
    counts.asked += 1;
    const process = whole(processes);
    const reservations = purses[process % purses.length];
    const mine: ReservationsCaps = Object.fromEntries(
      scopes.flatMap((scope) => (isCapped[scope] === true ? [[scope, caps[scope]]] : [])),
    );
    const under = keys();
    const worst = whole(160);
    const grant = await reservations?.reserve({ nano: worst, keys: under, caps: mine, step: counts.asked });
    if (grant?.granted !== true) {
      counts.refused += 1;
      return;
    }
    counts.granted += 1;
    running.push({ id: grant.id, process, keys: under, worst });
    // From here on, the service may bill the full amount, whatever happens to this process.
    for (const scope of scopes) bill(scope, under[scope], worst);
  };
  const bill = (scope: ReservationScope, key: string | null, nano: number): void => {
    if (key === null) return;
    const sum = (bills.get(`${scope} ${key}`) ?? 0) + nano;
    bills.set(`${scope} ${key}`, sum);
    if (isCapped[scope] !== true) return;
    const limit = caps[scope] + (limits.get(`${scope} ${key}`) ?? 0);
    counts.overrun = Math.max(counts.overrun, sum - limit);
  };
  const end = (purses: readonly ScheduleReservations[]): void => {
    const call = running.splice(whole(running.length), 1)[0];
    if (call === undefined) return;
    const isKnown = random() < 0.85;
    const cost = isKnown ? whole(call.worst + 1) : call.worst;
    // A dead process settles nothing. The process that takes over settles its call, at the worst case.
    purses[call.process % purses.length]?.settle(call.id, cost);
    for (const scope of scopes) bill(scope, call.keys[scope], cost - call.worst);
  };
  const raise = async (purses: readonly ScheduleReservations[]): Promise<void> => {
    const scope = scopes[whole(scopes.length)] ?? 'day';
    const key = keys()[scope];
    if (key === null) return;
    const by = whole(200);
    // Recorded first: another process may grant a call under the higher limit before this process hears of it.
    limits.set(`${scope} ${key}`, (limits.get(`${scope} ${key}`) ?? 0) + by);
    await purses[whole(purses.length)]?.raise(scope, key, by);
  };
  return {
    step: async (purses) => {
      const dice = random();
      if (counts.asked >= calls && running.length === 0) return false;
      if (counts.asked < calls && dice < 0.6) await ask(purses);
      else if (dice < 0.95 || counts.asked >= calls) end(purses);
      else await raise(purses);
      return true;
    },
    overrun: () => counts.overrun,
    granted: () => counts.granted,
    refused: () => counts.refused,
  };
}
