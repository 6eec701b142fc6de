import { randomBytes } from 'node:crypto';
import { AppError, messageOf } from '@shared/errors.ts';
import type { BlobRef } from '@shared/events/blob-ref.ts';
import { RECORD_FORM, type NewEvent, type SessionEvent, type Transient } from '@shared/events/events.ts';
import { type MoneyState, reduceMoney } from '@shared/money/session-money.ts';
import { reduceSession } from '@shared/session/reducers/reduce-session.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { diagnostics } from '../../lib/log.ts';
import type { Blobs } from '../blobs/blob-store.ts';
import { type EventLog, soonSyncedTypes, syncedTypes } from '../log/event-log.ts';
import { createGrowingText } from './growing-text.ts';
import type { BlobSink, Journal } from './journal.ts';
import type { LogPosition } from '../log/log-scan.ts';
import type { Redactor } from '../log/redactor.ts';
import { createRunningText } from './live-text.ts';
import type { Snapshot } from '../store/state-snapshot.ts';
import { type JournalListener, type JournalPush, Subscriber } from './journal-subscriber.ts';
import { type FileImage } from '@shared/events/tool-events.ts';

/** The journal of a session that is open for work. */
export interface LiveJournal extends Journal {
  /**
   * Calls `listener` with events in order, each after it was written: from `fromSeq` on, or for `null` starting with a
   * snapshot of the current state. Transients come in between, first those of running calls. Returns a function that
   * ends the subscription. A listener never delays or breaks an append.
   */
  subscribe(fromSeq: number | null, listener: JournalListener): () => void;
  /** Positions in the log about every MiB. */
  marks(): readonly LogPosition[];
  /** Waits for running appends and for listeners (2 s at most), saves a snapshot, releases the session. Idempotent. */
  close(): Promise<void>;
}

export interface LiveJournalOptions {
  readonly sessionId: string;
  readonly log: EventLog;
  readonly blobs: Blobs;
  readonly redactor: Redactor;
  /** The fold of everything in `log`. */
  readonly state: SessionState;
  readonly money: MoneyState;
  readonly now: () => number;
  /** Saves a snapshot. Called at the end of a turn, on close and every 16 MiB. A rejection is only logged. */
  readonly save: (snapshot: Snapshot) => Promise<void>;
  /** Called once, at the very end. */
  readonly onClosed: () => Promise<void>;
}

const saveEveryBytes = 16 * 1024 * 1024;
const closeWaitsMs = 2000;

export function createLiveJournal(options: LiveJournalOptions): LiveJournal {
  const journal = new FileJournal(options);
  // Callers pass single methods on, such as `journal.push` as a listener.
  return {
    sessionId: journal.sessionId,
    append: (event) => journal.append(event),
    push: (transient) => journal.push(transient),
    putBlob: (bytes) => journal.putBlob(bytes),
    putText: (pieces) => journal.putText(pieces),
    getBlob: (ref) => journal.getBlob(ref),
    openBlob: () => journal.openBlob(),
    state: () => journal.state(),
    money: () => journal.money(),
    read: (fromSeq) => journal.read(fromSeq),
    marks: () => journal.marks(),
    now: () => journal.now(),
    newId: (kind) => journal.newId(kind),
    subscribe: (fromSeq, listener) => journal.subscribe(fromSeq, listener),
    close: () => journal.close(),
  };
}

class FileJournal implements LiveJournal {
  readonly sessionId: string;
  readonly #options: LiveJournalOptions;
  readonly #subscribers = new Set<Subscriber>();
  #state: SessionState;
  #money: MoneyState;
  #tail: Promise<unknown> = Promise.resolve();
  #saving: Promise<void> = Promise.resolve();
  #savedOffset: number;
  readonly #textBytes: (pieces: readonly string[]) => Buffer;
  readonly #running = createRunningText();
  #closing: Promise<void> | null = null;

  constructor(options: LiveJournalOptions) {
    this.sessionId = options.sessionId;
    this.#options = options;
    this.#state = options.state;
    this.#money = options.money;
    this.#savedOffset = options.log.sizeBytes;
    this.#textBytes = createGrowingText(
      (piece) => options.redactor.text(piece),
      () => options.redactor.knownSecrets(),
    );
  }

  append(event: NewEvent): Promise<SessionEvent> {
    if (this.#closing) return Promise.reject(new AppError('internal', 'This session is closed.'));
    const appended = this.#tail.then(() => this.#append(event));
    this.#tail = appended.catch(messageOf);
    return appended;
  }

  push(transient: Transient): void {
    this.#running.take(transient);
    this.#publish({ type: 'transient', transient });
  }

  putBlob(bytes: Uint8Array): Promise<BlobRef> {
    return this.#options.blobs.put(bytes);
  }

  putText(pieces: readonly string[]): Promise<BlobRef> {
    return this.#options.blobs.put(this.#textBytes(pieces));
  }

  getBlob(ref: BlobRef): Promise<Uint8Array | null> {
    return this.#options.blobs.get(ref);
  }

  openBlob(): BlobSink {
    return this.#options.blobs.open(this.#options.redactor);
  }

  state(): SessionState {
    return this.#state;
  }

  money(): MoneyState {
    return this.#money;
  }

  read(fromSeq = 1): AsyncIterable<SessionEvent> {
    return this.#options.log.read(fromSeq);
  }

  marks(): readonly LogPosition[] {
    return this.#options.log.marks;
  }

  now(): number {
    return this.#options.now();
  }

  newId(kind: 'turn' | 'call' | 'tool' | 'message' | 'approval'): string {
    return `${kind}-${randomBytes(5).toString('hex')}`;
  }

  subscribe(fromSeq: number | null, listener: JournalListener): () => void {
    const stop = (): void => {
      this.#subscribers.delete(subscriber);
      subscriber.stop();
    };
    const subscriber: Subscriber = new Subscriber({
      listener,
      first: fromSeq === null ? null : this.#options.log.read(fromSeq),
      snapshot: () => this.#snapshotPush(),
      onEnd: (error) => {
        this.#subscribers.delete(subscriber);
        diagnostics.warn(`A subscriber of ${this.sessionId} failed and was dropped`, error);
      },
    });
    this.#subscribers.add(subscriber);
    if (fromSeq === null) subscriber.push(this.#snapshotPush());
    for (const transient of this.#running.soFar()) subscriber.push({ type: 'transient', transient });
    return stop;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#tail;
    this.#save();
    await Promise.race([
      Promise.all([...this.#subscribers].map((subscriber) => subscriber.settled())),
      new Promise((resolve) => setTimeout(resolve, closeWaitsMs).unref()),
    ]);
    for (const subscriber of this.#subscribers) subscriber.stop();
    this.#subscribers.clear();
    await this.#saving;
    this.#options.log.close();
    await this.#options.onClosed();
  }

  async #append(input: NewEvent): Promise<SessionEvent> {
    const { log, redactor, now } = this.#options;
    const redacted = redactor.json(input);
    await this.#syncBlobs(redacted);
    const event: SessionEvent = { v: RECORD_FORM, seq: log.lastSeq + 1, at: now(), ...redacted };
    await log.append(event, syncedTypes.has(event.type));
    if (soonSyncedTypes.has(event.type)) log.syncSoon();
    this.#state = reduceSession(this.#state, event);
    this.#money = reduceMoney(this.#money, event);
    this.#running.settle(event);
    this.#publish({ type: 'event', event });
    if (event.type === 'turn-ended' || log.sizeBytes - this.#savedOffset > saveEveryBytes) this.#save();
    return event;
  }

  /** Undo and replay depend on these blobs, so they are on the disk before the event that names them. */
  async #syncBlobs(event: NewEvent): Promise<void> {
    if (event.type === 'user-message-added') {
      for (const { blob } of event.attachments ?? []) await this.#options.blobs.sync(blob);
    }
    if (event.type === 'file-changed') {
      for (const ref of [blobOf(event.before), blobOf(event.after)]) if (ref) await this.#options.blobs.sync(ref);
    }
    if (event.type === 'file-changed' || event.type === 'hunks-taken') {
      const base = blobOf(event.hunks?.base ?? null);
      if (base !== null) await this.#options.blobs.sync(base);
    }
    if (event.type === 'tool-ended') {
      for (const ref of [event.full, event.dataBlob]) if (ref) await this.#options.blobs.sync(ref);
    }
  }

  #publish(push: JournalPush): void {
    for (const subscriber of this.#subscribers) subscriber.push(push);
  }

  #snapshotPush(): JournalPush {
    return { type: 'snapshot', state: this.#state, money: this.#money };
  }

  #save(): void {
    const { log, save } = this.#options;
    const snapshot = {
      seq: log.lastSeq,
      offset: log.sizeBytes,
      marks: [...log.marks],
      state: this.#state,
      money: this.#money,
    };
    this.#savedOffset = snapshot.offset;
    // Without a snapshot the session only opens more slowly, so a failure to save one is only logged.
    this.#saving = this.#saving
      .then(() => save(snapshot))
      .catch((error: unknown) => diagnostics.warn(`No snapshot of ${this.sessionId}`, error));
  }
}

function blobOf(image: FileImage): BlobRef | null {
  return image?.kept ? image.blob : null;
}
