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

/** The file of a reservation log, so that tests can keep it in memory. Several processes may hold the same one. */
export interface ReservationsFile {
  /** Adds bytes at the end in one piece; returns how many went in. */
  append(bytes: Uint8Array): number;
  /** Everything from `offset` to the end as it is now. */
  readFrom(offset: number): Buffer;
  /** Waits until what was appended survives a power cut. */
  sync(): Promise<void>;
  close(): void;
}

/** Seals a record as a line with a checksum, and opens it again: the lines of the session logs. */
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
 * The one reservation log of a home. Money is held before a call and settled after it. The lines are the truth: a call is
 * granted by what stands before its line in the file, so any number of calls and processes agree without a lock.
 */
export interface Reservations {
  /** Resolved with a grant means: held, and on the disk. Rejects with `disk-full` when it cannot be written. */
  reserve(ask: ReservationRequest): Promise<ReservationAnswer>;
  /** What the call has cost, in nanodollars. Never rejects: what cannot be settled stays held, which is the safe side. */
  settle(id: string, nano: number): void;
  raise(scope: ReservationScope, key: string, nano: number): Promise<void>;
  /** Takes back all that it was raised by. */
  unraise(scope: ReservationScope, key: string): Promise<void>;
  sums(
    scope: ReservationScope,
    key: string,
  ): { readonly spent: number; readonly held: number; readonly raised: number };
  /** Calls that were granted and not settled: after a crash, those that nobody will settle. */
  open(): ReturnType<ReservationsState['open']>;
  /** The lines of a reservation log as short as it can be; only for one without open calls. */
  balance: ReservationsState['balance'];
  /** Lines that could not be read: each may hide a reservation. */
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
    // A full disk took a part: with its end on a line of its own it spoils nothing that comes after.
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
      } catch {
        // Stays held at its worst case until the reservation log is opened again and the log is asked.
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
    sums: (scope, key) => {
      reader.readNew();
      return reader.state.sums(scope, key);
    },
    open: () => {
      reader.readNew();
      return reader.state.open();
    },
    balance: (at, isKept) => reader.state.balance(at, isKept),
    damagedLines: () => reader.damagedLines,
    close: () => file.close(),
  };
}

function notWritten(cause: unknown): AppError {
  const why = cause === null ? '' : `: ${messageOf(cause)}`;
  return new AppError('disk-full', `The money for the next call could not be reserved${why}.`, {
    hint: 'No call was made. Free some disk space, then continue.',
    cause,
  });
}

/** Folds what any process has appended, in the order of the file. */
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

  /** The verdict on an `asked` that was just appended; null when its line cannot be found. */
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
    // What has no end yet is being written by somebody.
    this.#offset += start;
    return found;
  }

  endTornLine(): void {
    try {
      this.#file.append(Buffer.from('\n'));
    } catch {
      // The next line then runs into the torn one, is not found again, and its call is not made.
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
