import { closeSync, fdatasync, fstatSync, openSync, readSync, statSync, truncateSync, writeSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { promisify } from 'node:util';
import { writeFileAtomic } from '../../lib/files/json-file.ts';
import type { LineCodec, Reservations, ReservationsFile } from './reservations.ts';
import { createReservations } from './reservations.ts';
import type { ReservationsRecord, ReservationScope } from './reservations-state.ts';

const syncData = promisify(fdatasync);
const lineEnd = 0x0a;
/** A longer reservation log is made short when it is opened: about 20,000 calls. */
const longBytes = 8 * 1024 * 1024;
const dayMs = 86_400_000;

/** The file on the disk. Appends of several processes do not mix: the system puts each at the end in one piece. */
export function openReservationsFile(path: string): ReservationsFile {
  const fd = openSync(path, 'a+', 0o600);
  return {
    append: (bytes) => writeSync(fd, bytes, 0, bytes.length),
    readFrom: (offset) => {
      const length = fstatSync(fd).size - offset;
      const bytes = Buffer.alloc(Math.max(0, length));
      return bytes.subarray(0, bytes.length === 0 ? 0 : readSync(fd, bytes, 0, bytes.length, offset));
    },
    sync: () => syncData(fd),
    close: () => closeSync(fd),
  };
}

export interface OpenReservationsOptions {
  readonly path: string;
  readonly codec: LineCodec;
  readonly now: () => number;
  /** What the logs of the home say was spent so far: where a reservation log is missing or damaged, it begins with that. */
  readonly fromLogs: () => Promise<readonly ReservationsRecord[]>;
  /** What the log says a call has cost that its process did not settle, in nanodollars; null: nobody knows. */
  readonly costInLog: (sessionId: string, step: number) => Promise<number | null>;
}

/**
 * Opens the reservation log of a home for the process that owns it; nobody else may have it open. A damaged file is moved aside.
 * What a dead process held is settled from the logs; what they do not know counts at its worst case.
 */
export async function openReservations(options: OpenReservationsOptions): Promise<Reservations> {
  const { path, codec, now } = options;
  if (!isThere(path)) await begin(options);
  let reservations = open(options);
  if (reservations.damagedLines() > 0) {
    reservations.close();
    await rename(path, `${path}.damaged-${now()}`);
    await begin(options);
    reservations = open(options);
  }
  for (const call of reservations.open()) {
    const log = call.log ?? call.keys.session;
    const cost = log === null ? null : await options.costInLog(log, call.step);
    reservations.settle(call.id, cost ?? call.nano);
  }
  if (statSync(path).size <= longBytes) return reservations;
  const kept = reservations.balance(now(), isNeeded(now()));
  reservations.close();
  await writeLines(path, kept, codec);
  return open(options);
}

function open({ path, codec, now }: OpenReservationsOptions): Reservations {
  const file = openReservationsFile(path);
  // A line that a power cut left without its end goes: what was in it had not been granted.
  const bytes = file.readFrom(0);
  if (bytes.length > 0 && bytes.at(-1) !== lineEnd) truncateSync(path, bytes.lastIndexOf(lineEnd) + 1);
  return createReservations(file, codec, now);
}

async function begin({ path, codec, fromLogs }: OpenReservationsOptions): Promise<void> {
  await writeLines(path, await fromLogs(), codec);
}

async function writeLines(path: string, records: readonly ReservationsRecord[], codec: LineCodec): Promise<void> {
  await writeFileAtomic(path, Buffer.concat(records.map((record) => codec.seal(record))));
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Tasks are over when a reservation log is opened; days and months are, once they have passed. */
function isNeeded(at: number): (scope: ReservationScope, key: string) => boolean {
  const oldestDay = new Date(at - 3 * dayMs).toISOString().slice(0, 10);
  const oldestMonth = new Date(at - 40 * dayMs).toISOString().slice(0, 7);
  return (scope, key) => {
    if (scope === 'task') return false;
    if (scope === 'day') return key >= oldestDay;
    return scope !== 'month' || key >= oldestMonth;
  };
}
