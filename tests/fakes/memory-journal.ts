import { createHash } from 'node:crypto';
import type { BlobRef } from '../../src/shared/events/blob-ref.ts';
import type { NewEvent, SessionEvent, Transient } from '../../src/shared/events/events.ts';
import { emptyMoney, reduceMoney } from '../../src/shared/money/session-money.ts';
import { reduceSession } from '../../src/shared/session/reducers/reduce-session.ts';
import { emptySession } from '../../src/shared/session/session-state.ts';
import type { BlobSink, Effects, Journal } from '../../src/main/sessions/journal/journal.ts';

export interface MemoryJournal extends Journal {
  readonly events: readonly SessionEvent[];
  readonly transients: readonly Transient[];
  readonly blobs: ReadonlyMap<string, Uint8Array>;
}

export interface MemoryJournalOptions {
  /** The clock. By default, every event is one second after the one before. */
  readonly now?: () => number;
  /** Called with every event before it is kept; may abort or throw. */
  readonly onAppend?: (event: NewEvent, count: number) => void;
  readonly onEvent?: (event: SessionEvent) => void;
}

/** A journal that keeps everything in memory. Ids and times are the same in every run. */
export function createMemoryJournal(options: MemoryJournalOptions = {}): MemoryJournal {
  const events: SessionEvent[] = [];
  const transients: Transient[] = [];
  const blobs = new Map<string, Uint8Array>();
  const ids = new Map<string, number>();
  let clock = 1_800_000_000_000;
  let state = emptySession;
  let money = emptyMoney;
  const now = options.now ?? ((): number => clock);
  const putBlob = async (bytes: Uint8Array): Promise<BlobRef> => {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    blobs.set(sha256, bytes);
    return { sha256, bytes: bytes.length };
  };
  return {
    sessionId: 'session-1',
    events,
    transients,
    blobs,
    append: async (event) => {
      options.onAppend?.(event, events.length);
      clock += 5;
      const written: SessionEvent = { ...structuredClone(event), v: 2, seq: events.length + 1, at: now() };
      events.push(written);
      state = reduceSession(state, written);
      money = reduceMoney(money, written);
      options.onEvent?.(written);
      return written;
    },
    push: (transient) => {
      transients.push(transient);
    },
    putBlob,
    putText: (pieces) => putBlob(Buffer.from(pieces.join(''), 'utf8')),
    getBlob: async (ref) => blobs.get(ref.sha256) ?? null,
    openBlob: () => memorySink(putBlob),
    state: () => state,
    money: () => money,
    read: async function* read(fromSeq = 1) {
      yield* events.slice(fromSeq - 1);
    },
    now,
    newId: (kind) => {
      const next = (ids.get(kind) ?? 0) + 1;
      ids.set(kind, next);
      return `${kind}-${next}`;
    },
  };
}

function memorySink(putBlob: (bytes: Uint8Array) => Promise<BlobRef>): BlobSink {
  const chunks: Uint8Array[] = [];
  let size = 0;
  return {
    write: (bytes) => {
      chunks.push(bytes);
      size += bytes.length;
    },
    get bytes() {
      return size;
    },
    end: () => putBlob(Buffer.concat(chunks)),
    discard: async () => {
      chunks.length = 0;
    },
  };
}

export const liveEffects: Effects = { replaying: false, perform: (_id, run) => run() };
