import type { Budget, BudgetOptions, Caps } from '../../src/main/money/budget.ts';
import { createBudget } from '../../src/main/money/budget.ts';
import type { LineCodec, Reservations, ReservationsFile } from '../../src/main/money/reservations/reservations.ts';
import { createReservations } from '../../src/main/money/reservations/reservations.ts';
import { sealRecord, unsealRecord } from '../../src/main/sessions/log/log-record.ts';

export const lineCodec: LineCodec = { seal: sealRecord, unseal: unsealRecord };

/** A reservation log in memory. Several purses can share it, as processes share a file. */
export class MemoryReservationsFile implements ReservationsFile {
  bytes = Buffer.alloc(0);
  /** How many bytes still fit. */
  room = Number.POSITIVE_INFINITY;

  append(bytes: Uint8Array): number {
    const taken = Math.min(bytes.length, this.room);
    this.room -= taken;
    this.bytes = Buffer.concat([this.bytes, bytes.subarray(0, taken)]);
    return taken;
  }

  readFrom(offset: number): Buffer {
    return Buffer.from(this.bytes.subarray(offset));
  }

  async sync(): Promise<void> {}

  close(): void {}
}

export function memoryReservations(
  file: ReservationsFile = new MemoryReservationsFile(),
  now = (): number => 0,
): Reservations {
  return createReservations(file, lineCodec, now);
}

export const noCaps: Caps = { step: null, task: null, session: null, project: null, day: null, month: null };

export function memoryBudget(caps: Partial<Caps> = {}, options: Partial<BudgetOptions> = {}): Budget {
  const reservations = memoryReservations(undefined, () => Date.UTC(2026, 10, 21, 12));
  return createBudget({
    sessionId: 'session-1',
    project: () => '/project',
    caps: () => ({ ...noCaps, ...caps }),
    reservations: async () => reservations,
    ask: async () => null,
    ...options,
  });
}
