import { closeSync, fdatasync, fstatSync, openSync, readSync, statSync, truncateSync, writeSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { promisify } from 'node:util';
import { writeFileAtomic } from '../../lib/files/json-file.ts';
import { projectKeys } from '../../lib/files/project-key.ts';
import type { LineCodec, Reservations, ReservationsFile } from './reservations.ts';
import { createReservations } from './reservations.ts';
import type { ReservationsRecord, ReservationScope } from './reservations-state.ts';

const syncData = promisify(fdatasync);
const lineEnd = 0x0a;
/** A larger reservation log is shortened when it is opened. This is about 20,000 calls. */
const longBytes = 8 * 1024 * 1024;
const dayMs = 86_400_000;

/**
 * The file on disk. Appends of several processes do not mix, because the system writes each at the end in one piece.
 */
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
  /** What was spent so far according to the home's logs. A missing or damaged reservation log starts with it. */
  readonly fromLogs: () => Promise<readonly ReservationsRecord[]>;
  /** The cost, in nanodollars, of a call whose process did not settle it, from its log; null: unknown. */
  readonly costInLog: (sessionId: string, step: number) => Promise<number | null>;
}

/**
 * Opens the reservation log of a home. Only the process that owns the home may call this, while nobody else has it
 * open. A damaged file is moved aside. Reservations of a dead process are settled from the logs; if the logs do not
 * have the cost, the worst case counts. What was spent under other names of a project counts under its key.
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
  const keys = reservations.projects();
  const keyOf = await projectKeys(keys);
  const isOneName = keys.every((key) => keyOf(key) === key);
  if (isOneName && statSync(path).size <= longBytes) return reservations;
  const kept = reservations.balance(now(), isNeeded(now())).map((record) => underKey(record, keyOf));
  reservations.close();
  await writeLines(path, kept, codec);
  return open(options);
}

function open({ path, codec, now }: OpenReservationsOptions): Reservations {
  const file = openReservationsFile(path);
  // A last line without its end, from a power cut, is removed. Its call had not been granted.
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

function underKey(record: ReservationsRecord, keyOf: (path: string) => string): ReservationsRecord {
  if (record.type === 'spent' && record.keys.project !== null)
    return { ...record, keys: { ...record.keys, project: keyOf(record.keys.project) } };
  return record.type === 'raised' && record.scope === 'project' ? { ...record, key: keyOf(record.key) } : record;
}

/** Sums that are still needed: not those of tasks, which have ended, nor those of past days and months. */
function isNeeded(at: number): (scope: ReservationScope, key: string) => boolean {
  const oldestDay = new Date(at - 3 * dayMs).toISOString().slice(0, 10);
  const oldestMonth = new Date(at - 40 * dayMs).toISOString().slice(0, 7);
  return (scope, key) => {
    if (scope === 'task') return false;
    if (scope === 'day') return key >= oldestDay;
    return scope !== 'month' || key >= oldestMonth;
  };
}
