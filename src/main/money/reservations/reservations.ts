import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { AppError, messageOf } from '@shared/errors.ts';
import type {
  ReservationsCaps,
  ReservationsKeys,
  ReservationsRecord,
  Refusal,
  ReservationScope,
} from './reservations-state.ts';
import { ReservationsState, scopes } from './reservations-state.ts';
import { noteFailure } from '../../lib/log.ts';
import { allOrNone, nothingToUndo, type WayBack } from '../../lib/async/all-or-none.ts';
import { localDay } from '../local-day.ts';

/** The file of a reservation log, which tests can keep in memory. Several processes may have it open. */
export interface ReservationsFile {
  /** Appends bytes in one piece; returns how many were written. */
  append(bytes: Uint8Array): number;
  /** Everything from `offset` to the present end. */
  readFrom(offset: number): Buffer;
  /** Waits until what was appended would survive a power cut. */
  sync(): Promise<void>;
  close(): void;
}

/** Converts a record to a line with a checksum and back, as in the session logs. */
export interface LineCodec {
  readonly seal: (value: object) => Uint8Array;
  readonly unseal: (
    bytes: Buffer,
    start: number,
    end: number,
  ) => { readonly ok: true; readonly value: unknown } | { readonly ok: false };
}

export interface ReservationRequest {
  /** The worst case of the call, in nanodollars. */
  readonly nano: number;
  readonly keys: ReservationsKeys;
  readonly caps: ReservationsCaps;
  readonly step: number;
  readonly log?: string;
}

export type ReservationAnswer =
  | { readonly granted: true; readonly id: string }
  | { readonly granted: false; readonly refusal: Refusal };

/**
 * The reservation log of a home. Money is reserved before a call and settled after it. A call is granted or refused by
 * the lines before its own in the file, so any number of calls and processes agree without a lock.
 */
export interface Reservations {
  /** A grant means that the money is reserved, on disk. Rejects with `disk-full` if it cannot be written. */
  reserve(ask: ReservationRequest): Promise<ReservationAnswer>;
  /**
   * Settles a call at its cost in nanodollars. Never rejects: what cannot be settled stays reserved, which is the safe
   * side.
   */
  settle(id: string, nano: number): void;
  raise(scope: ReservationScope, key: string, nano: number): Promise<void>;
  /** Cancels all raises of one limit. */
  unraise(scope: ReservationScope, key: string): Promise<void>;
  /** What one project spent, reserved and raised counts for another one from now on. Safe to repeat. */
  moveProject(from: string, to: string): Promise<WayBack>;
  sums(
    scope: ReservationScope,
    key: string,
  ): { readonly spent: number; readonly held: number; readonly raised: number };
  /**
   * The day and month in this machine's time zone that a call of this moment counts for, as `2026-11-21`. Never before
   * the latest of the log: a clock that is put back begins no day anew.
   */
  today(): { readonly day: string; readonly month: string };
  /** Calls that were granted and not settled. After a crash, nobody will settle them. */
  open(): ReturnType<ReservationsState['open']>;
  /** The projects that have sums. */
  projects(): readonly string[];
  /** The shortest equivalent lines of a reservation log; only if no call is open. */
  balance: ReservationsState['balance'];
  /** Lines that could not be read. Each may hide a reservation. */
  readonly damagedLines: () => number;
  close(): void;
}

const keysSchema = z.object({
  task: z.string().nullable(),
  session: z.string().nullable(),
  project: z.string().nullable(),
  day: z.string().nullable(),
  month: z.string().nullable(),
});
const nano = z.number().int().nonnegative();
const recordSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('asked'),
    id: z.string(),
    at: z.number(),
    nano,
    keys: keysSchema,
    caps: z.partialRecord(z.enum(scopes), nano),
    step: z.number(),
    log: z.string().optional(),
  }),
  z.object({ type: z.literal('settled'), id: z.string(), at: z.number(), nano }),
  z.object({ type: z.literal('raised'), at: z.number(), scope: z.enum(scopes), key: z.string(), nano }),
  z.object({ type: z.literal('unraised'), at: z.number(), scope: z.enum(scopes), key: z.string() }),
  z.object({
    type: z.literal('moved'),
    at: z.number(),
    from: z.string(),
    to: z.string(),
    only: z.object({ spent: nano, raised: nano, calls: z.array(z.string()).readonly() }).optional(),
  }),
  z.object({ type: z.literal('spent'), at: z.number(), nano, keys: keysSchema }),
]) satisfies z.ZodType<ReservationsRecord>;

const lineEnd = 0x0a;

export function createReservations(file: ReservationsFile, codec: LineCodec, now: () => number): Reservations {
  const reader = new ReservationsReader(file, codec);
  reader.readNew();
  const write = (record: ReservationsRecord): void => {
    const line = codec.seal(record);
    let written = 0;
    try {
      written = file.append(line);
    } catch (error) {
      throw notWritten(error);
    }
    if (written === line.length) return;
    // A full disk took only a part. Ending it as a line of its own keeps it from spoiling the next line.
    reader.endTornLine();
    throw notWritten(null);
  };
  return {
    reserve: async (ask) => {
      const id = randomUUID();
      write({ type: 'asked', id, at: now(), ...ask });
      const verdict = reader.verdictOf(id);
      if (verdict === null) throw notWritten(null);
      if (!verdict.granted) return { granted: false, refusal: verdict.refusal };
      await file.sync();
      return { granted: true, id };
    },
    settle: (id, amount) => {
      try {
        write({ type: 'settled', id, at: now(), nano: amount });
      } catch (error) {
        // Stays reserved at the worst case until the file is opened again and the session log has the cost.
        noteFailure('A reserved amount was not given back', error);
      }
    },
    raise: async (scope, key, amount) => {
      write({ type: 'raised', at: now(), scope, key, nano: amount });
      await file.sync();
    },
    unraise: async (scope, key) => {
      write({ type: 'unraised', at: now(), scope, key });
      await file.sync();
    },
    moveProject: (from, to) => moveSums(reader, write, { from, to, now, sync: () => file.sync() }),
    sums: (scope, key) => {
      reader.readNew();
      return reader.state.sums(scope, key);
    },
    today: () => {
      reader.readNew();
      const latest = reader.state.latest();
      const day = localDay(Math.max(now(), latest.at));
      const month = day.slice(0, 7);
      return { day: day > latest.day ? day : latest.day, month: month > latest.month ? month : latest.month };
    },
    open: () => {
      reader.readNew();
      return reader.state.open();
    },
    projects: () => reader.state.projects(),
    balance: (at, isKept) => reader.state.balance(at, isKept),
    damagedLines: () => reader.damagedLines,
    close: () => file.close(),
  };
}

async function moveSums(
  reader: ReservationsReader,
  write: (record: ReservationsRecord) => void,
  {
    from,
    to,
    now,
    sync,
  }: { readonly from: string; readonly to: string; readonly now: () => number; readonly sync: () => Promise<void> },
): Promise<WayBack> {
  reader.readNew();
  if (!reader.state.projects().includes(from)) return nothingToUndo;
  const { spent, raised } = reader.state.sums('project', from);
  const open = reader.state.open().filter(({ keys }) => keys.project === from);
  const only = { spent, raised, calls: open.map(({ id }) => id) };
  const back: WayBack = async () => {
    write({ type: 'moved', at: now(), from: to, to: from, only });
    await sync();
  };
  const move = async (): Promise<WayBack> => {
    write({ type: 'moved', at: now(), from, to });
    return back;
  };
  return allOrNone([move, () => sync().then(() => nothingToUndo)]);
}

function notWritten(cause: unknown): AppError {
  const why = cause === null ? '' : `: ${messageOf(cause)}`;
  return new AppError('disk-full', `The money for the next call could not be reserved${why}.`, {
    hint: 'No call was made. Free some disk space, then continue.',
    cause,
  });
}

/** Reads what any process has appended, in the order of the file. */
class ReservationsReader {
  readonly state = new ReservationsState();
  damagedLines = 0;
  readonly #file: ReservationsFile;
  readonly #codec: LineCodec;
  #offset = 0;

  constructor(file: ReservationsFile, codec: LineCodec) {
    this.#file = file;
    this.#codec = codec;
  }

  /** The verdict for an `asked` line that was just appended; null if the line is not found. */
  verdictOf(id: string): ReturnType<ReservationsState['add']> {
    return this.readNew(id);
  }

  readNew(id?: string): ReturnType<ReservationsState['add']> {
    const bytes = this.#file.readFrom(this.#offset);
    let found: ReturnType<ReservationsState['add']> = null;
    let start = 0;
    for (let end = bytes.indexOf(lineEnd, start); end >= 0; end = bytes.indexOf(lineEnd, start)) {
      const record = this.#parse(bytes, start, end);
      start = end + 1;
      if (record === null) continue;
      const verdict = this.state.add(record);
      if (record.type === 'asked' && record.id === id) found = verdict;
    }
    // A line without an end is still being written.
    this.#offset += start;
    return found;
  }

  endTornLine(): void {
    try {
      this.#file.append(Buffer.from('\n'));
    } catch (error) {
      // The next line is then joined to the torn one and not found, so its call is not made.
      noteFailure('A line of reservations was not completed', error);
    }
  }

  #parse(bytes: Buffer, start: number, end: number): ReservationsRecord | null {
    if (start === end) return null;
    const line = this.#codec.unseal(bytes, start, end);
    const parsed = line.ok ? recordSchema.safeParse(line.value) : null;
    if (parsed?.success === true) return parsed.data;
    this.damagedLines += 1;
    return null;
  }
}
