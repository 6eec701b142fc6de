import { AppError } from '@shared/errors.ts';
import type { BlobRef } from '@shared/events/blob-ref.ts';
import type { EventOf, EventType, NewEvent, SessionEvent } from '@shared/events/events.ts';
import { emptyMoney, type MoneyState, reduceMoney } from '@shared/money/session-money.ts';
import { reduceSession } from '@shared/session/reducers/reduce-session.ts';
import { emptySession, type SessionState } from '@shared/session/session-state.ts';
import { type Blobs } from '../blobs/blob-store.ts';
import type { BlobSink, Journal } from '../journal/journal.ts';
import { createRedactor } from '../log/redactor.ts';
import { differingField, idIn, type Origin, originsOf, withRecordedFields } from './replay-events.ts';
import { sha256Of } from '../../lib/sha256.ts';

/** A recorded log while an engine is compared with it: where it stands, and what differs. */
export interface ReplayRecord {
  /** Why the engine was stopped. Null: it continues. */
  readonly stopped: () => ReplayStop | null;
  /** The first difference, in words. Null: there is none. */
  readonly difference: () => string | null;
  /** The next event that the engine itself must make. Null: the record ends, or the recorded run stopped. */
  readonly next: () => SessionEvent | null;
  /** Aborts when the engine must stop, and where the recorded turn was cancelled. */
  readonly signal: () => AbortSignal;
  /** Copies everything up to the start of the next turn. Returns that event, or null at the end of the log. */
  readonly toNextTurn: () => EventOf<'turn-started'> | null;
  /** Call it when the engine has ended a turn: copies what a crash left, and notes what the engine did not make. */
  readonly endTurn: () => void;
  /** The recorded event of a type that belongs to an id. */
  readonly find: <Type extends EventType>(type: Type, fits: (event: EventOf<Type>) => boolean) => EventOf<Type> | null;
  /** Notes a difference that the caller found. */
  readonly differs: (text: string) => void;
}

/** `journal`: each fact that the engine appends to it must be in the record. */
export interface ReplayLog {
  readonly journal: Journal;
  readonly record: ReplayRecord;
}

/** `crash`: the recorded run ended here. `difference`: the engine did something that is not recorded. */
type ReplayStop = 'crash' | 'difference';

const plain = createRedactor();

/** Replays from memory: `events` is the whole log, in order. Nothing is written, and blobs are only read. */
export function createReplayJournal(
  sessionId: string,
  events: readonly SessionEvent[],
  blobs: Pick<Blobs, 'get'>,
): ReplayLog {
  const replay = new Replay(events);
  const made = new Map<string, Uint8Array>();
  const keep = (bytes: Uint8Array): BlobRef => {
    const ref = { sha256: sha256Of(bytes), bytes: bytes.length };
    made.set(ref.sha256, bytes);
    return ref;
  };
  const journal: Journal = {
    sessionId,
    append: async (event) => replay.append(event),
    push: () => undefined,
    putBlob: async (bytes) => keep(bytes),
    putText: async (pieces) => keep(Buffer.from(pieces.map((piece) => plain.text(piece)).join(''), 'utf8')),
    getBlob: async (ref) => made.get(ref.sha256) ?? (await blobs.get(ref)),
    openBlob: () => memorySink(keep),
    state: () => replay.state,
    money: () => replay.money,
    read: (fromSeq = 1) => replay.read(fromSeq),
    now: () => replay.now(),
    newId: (kind) => replay.newId(kind),
  };
  const record: ReplayRecord = {
    stopped: () => replay.stopped,
    difference: () => replay.difference,
    next: () => replay.next(),
    signal: () => replay.signal,
    toNextTurn: () => replay.toNextTurn(),
    endTurn: () => replay.endTurn(),
    find: (type, fits) => replay.find(type, fits),
    differs: (text) => replay.differs(text),
  };
  return { journal, record };
}

function memorySink(keep: (bytes: Uint8Array) => BlobRef): BlobSink {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  return {
    get bytes() {
      return bytes;
    },
    write: (part) => {
      parts.push(part);
      bytes += part.length;
    },
    end: async () => keep(Buffer.concat(parts)),
    discard: async () => undefined,
  };
}

class Replay {
  state: SessionState = emptySession;
  money: MoneyState = emptyMoney;
  stopped: ReplayStop | null = null;
  difference: string | null = null;
  readonly #events: readonly SessionEvent[];
  readonly #origins: readonly Origin[];
  readonly #folded: SessionEvent[] = [];
  readonly #issued = new Set<string>();
  #controller = new AbortController();
  #at = 0;

  constructor(events: readonly SessionEvent[]) {
    this.#events = events;
    this.#origins = originsOf(events);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  append(given: NewEvent): SessionEvent {
    let made = given;
    if (this.stopped) throw stopError();
    this.#adoptBefore(made);
    const recorded = this.#events[this.#at];
    if (!recorded && this.#folded.at(-1)?.type === 'turn-ended') {
      this.differs(`replayed ${made.type} after the end of the record`);
      throw this.#stop('difference');
    }
    if (!recorded || this.#origins[this.#at] === 'crash') throw this.#stop('crash');
    let field = differingField(made, recorded);
    if (field !== null) {
      // What the engine put together may hold a secret that its parts did not show. Only then is it hidden as it is
      // today: what counts as a secret changes, and what was recorded stays as it is.
      made = plain.json(given);
      field = differingField(made, recorded);
    }
    if (field !== null) {
      this.differs(describe(made, recorded, field));
      throw this.#stop('difference');
    }
    const event = withRecordedFields(made, recorded);
    this.#fold(event);
    this.#adoptAfter();
    return event;
  }

  differs(text: string): void {
    this.difference ??= text;
  }

  now(): number {
    return this.next()?.at ?? this.#folded.at(-1)?.at ?? 0;
  }

  next(): SessionEvent | null {
    for (let index = this.#at; index < this.#events.length; index += 1) {
      const origin = this.#origins[index];
      if (origin === 'crash') return null;
      if (origin === 'engine') return this.#events[index] ?? null;
    }
    return null;
  }

  newId(kind: 'turn' | 'call' | 'tool' | 'message' | 'approval'): string {
    for (let index = this.#at; index < this.#events.length; index += 1) {
      // Ids after the crash belong to the next turn.
      if (this.#origins[index] === 'crash') break;
      const event = this.#events[index];
      const id = event ? idIn(kind, event) : null;
      if (id === null || this.#issued.has(id)) continue;
      this.#issued.add(id);
      return id;
    }
    // The record ends before this id was used, so nothing that is appended with it will be accepted.
    return `${kind}-unrecorded-${this.#issued.size}`;
  }

  find<Type extends EventType>(type: Type, fits: (event: EventOf<Type>) => boolean): EventOf<Type> | null {
    const isIt = (event: SessionEvent): event is EventOf<Type> => event.type === type;
    for (let index = this.#at; index < this.#events.length; index += 1) {
      const event = this.#events[index];
      if (event && isIt(event) && fits(event)) return event;
    }
    return null;
  }

  toNextTurn(): EventOf<'turn-started'> | null {
    for (; this.#at < this.#events.length; this.#adopt()) {
      const event = this.#events[this.#at];
      if (event?.type !== 'turn-started') continue;
      this.stopped = null;
      this.#controller = new AbortController();
      return event;
    }
    return null;
  }

  endTurn(): void {
    for (; this.#at < this.#events.length; this.#adopt()) {
      const event = this.#events[this.#at];
      if (!event || event.type === 'turn-started') return;
      if (this.#origins[this.#at] === 'engine' && event.turnId !== undefined && this.stopped !== 'crash') {
        this.differs(`event ${event.seq}: the engine did not make the recorded ${event.type}`);
        return;
      }
      if (event.type === 'turn-ended') {
        this.#adopt();
        return;
      }
    }
  }

  async *read(fromSeq: number): AsyncGenerator<SessionEvent> {
    for (const event of this.#folded.slice()) if (event.seq >= fromSeq) yield event;
  }

  /** Copies outside events that come before the engine's event, unless the engine makes them itself. */
  #adoptBefore(made: NewEvent): void {
    for (; this.#at < this.#events.length; this.#adopt()) {
      const recorded = this.#events[this.#at];
      const origin = this.#origins[this.#at];
      if (!recorded || origin === 'engine' || origin === 'crash') return;
      if (recorded.type === made.type && differingField(made, recorded) === null) return;
    }
  }

  /**
   * Copies events that certainly come from outside as soon as everything before them has happened, so that the state
   * shows them. A message that arrived during the turn is shown only where the recorded engine read it next.
   */
  #adoptAfter(): void {
    while (this.#origins[this.#at] === 'outside') {
      const event = this.#events[this.#at];
      if (event?.type === 'user-message-added' && this.next()?.type !== 'message-delivered') break;
      this.#adopt();
    }
    const next = this.next();
    if (next?.type === 'turn-ended' && next.reason === 'cancelled') this.#controller.abort();
  }

  #adopt(): void {
    const event = this.#events[this.#at];
    if (event) this.#fold(event);
  }

  #fold(event: SessionEvent): void {
    this.#at += 1;
    this.#folded.push(event);
    this.state = reduceSession(this.state, event);
    this.money = reduceMoney(this.money, event);
  }

  #stop(why: ReplayStop): AppError {
    this.stopped = why;
    this.#controller.abort();
    return stopError();
  }
}

function stopError(): AppError {
  return new AppError('cancelled', 'The replay ends here.');
}

const shownCharacters = 160;

function describe(made: NewEvent, recorded: SessionEvent, field: string): string {
  if (field === 'type') return `event ${recorded.seq}: recorded ${recorded.type}, replayed ${made.type}`;
  const valueOf = (event: object): string => {
    const text = JSON.stringify(new Map<string, unknown>(Object.entries(event)).get(field)) ?? 'nothing';
    return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
  };
  return `event ${recorded.seq} (${recorded.type}), ${field}: recorded ${valueOf(recorded)}, replayed ${valueOf(made)}`;
}
