import { closeSync, fdatasync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { dirname, basename } from 'node:path';
import { promisify } from 'node:util';
import { AppError, messageOf } from '@shared/errors.ts';
import type { EventType, SessionEvent } from '@shared/events/events.ts';
import { isDiskFull } from '../../lib/files/json-file.ts';
import { type LogRepair, removeDamage } from './log-repair.ts';
import { type LogPosition, readEvents, scanLog, type ScanResult } from './log-scan.ts';
import { sealRecord } from './log-record.ts';

/** Events before a side effect, and reports of completed actions. They are on the disk before anything else happens. */
export const syncedTypes: ReadonlySet<EventType> = new Set<EventType>([
  'session-created',
  'session-repaired',
  'session-moved',
  'folder-moved',
  'user-message-added',
  'tool-started',
  'server-task-began',
  'file-changed',
  'changes-taken',
  'hunks-taken',
  'restore-began',
  'restore-ended',
  'approval-answered',
  'child-session-started',
  'turn-ended',
]);

/**
 * Results: their sync starts at once but is not awaited, because that would delay every step. The next event of
 * `syncedTypes` also waits for it, so no side effect depends on a result that may still be lost.
 */
export const soonSyncedTypes: ReadonlySet<EventType> = new Set<EventType>(['tool-ended', 'model-call-ended']);

/** The three calls that change a log's file, so that tests can make each of them fail. */
export interface LogIo {
  /** Appends to the file. Returns how many bytes were written. */
  write(fd: number, bytes: Uint8Array): number;
  truncate(fd: number, lengthBytes: number): void;
  sync(fd: number): Promise<void>;
}

const syncData = promisify(fdatasync);

export const fileIo: LogIo = {
  write: (fd, bytes) => writeSync(fd, bytes, 0, bytes.length),
  truncate: (fd, lengthBytes) => ftruncateSync(fd, lengthBytes),
  sync: (fd) => syncData(fd),
};

export interface OpenLogOptions {
  readonly path: string;
  /** Starts here instead of at the first record: the position of a snapshot. */
  readonly from?: LogPosition;
  /** Positions known from a snapshot, for reading from the middle. */
  readonly marks?: readonly LogPosition[];
  /** Called for every good event in order while the log is opened; must not throw. */
  readonly onEvent: (event: SessionEvent) => void;
  readonly io?: LogIo;
}

interface OpenedFile extends Pick<ScanResult, 'lastSeq' | 'end' | 'marks'> {
  readonly fd: number;
  readonly repairs: readonly LogRepair[];
}

/** The append-only file of one session. It has one writer at a time, which the caller ensures. */
export class EventLog {
  readonly path: string;
  readonly repairs: readonly LogRepair[];
  readonly #io: LogIo;
  readonly #fd: number;
  readonly #marks: LogPosition[];
  #lastSeq: number;
  #end: number;
  #broken: AppError | null = null;
  #isClosed = false;
  /** The running sync that nobody awaits yet, and whether records were written since it began. */
  #soon: Promise<void> | null = null;
  #isSoonAgain = false;

  private constructor(path: string, io: LogIo, opened: OpenedFile) {
    this.path = path;
    this.repairs = opened.repairs;
    this.#io = io;
    this.#fd = opened.fd;
    this.#marks = [...opened.marks];
    this.#lastSeq = opened.lastSeq;
    this.#end = opened.end;
  }

  /** Creates a new log. Throws `conflict` if there is one already. */
  static create(path: string, io: LogIo = fileIo): EventLog {
    try {
      const fd = openSync(path, 'ax', 0o600);
      return new EventLog(path, io, { fd, lastSeq: 0, end: 0, marks: [{ seq: 0, offset: 0 }], repairs: [] });
    } catch (error) {
      throw new AppError(
        'conflict',
        `A new log could not be created in ${basename(dirname(path))}: ${messageOf(error)}.`,
        {
          cause: error,
        },
      );
    }
  }

  /**
   * Checks a log from `from` on, moves damaged parts aside (`repairs` lists them), and opens it for appending. Rejects
   * with `log-version`, without changing the file, if another version wrote it.
   */
  static async open(options: OpenLogOptions): Promise<EventLog> {
    const from = options.from ?? { seq: 0, offset: 0 };
    const scan = await scanLog(options.path, from, options.onEvent);
    const { end, marks, repairs } = await removeDamage(options.path, scan);
    const fd = openSync(options.path, 'a');
    const opened = {
      fd,
      lastSeq: scan.lastSeq,
      end,
      marks: options.marks ? [...options.marks, ...marks.slice(1)] : marks,
      repairs,
    };
    return new EventLog(options.path, options.io ?? fileIo, opened);
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  get sizeBytes(): number {
    return this.#end;
  }

  get marks(): readonly LogPosition[] {
    return this.#marks;
  }

  /**
   * Appends one event with a single write. Resolves when it is written and, with `sync`, on the disk. `event.seq` must
   * be `lastSeq + 1`. Calls must not overlap. Rejects with `disk-full` if there was no room: nothing of the record is
   * left, and a later append works. Rejects with `log-damaged` once the file could not be restored to a good end.
   */
  async append(event: SessionEvent, sync: boolean): Promise<void> {
    if (this.#broken) throw this.#broken;
    if (this.#isClosed) throw new AppError('internal', 'This log is closed.');
    const line = sealRecord(event);
    this.#write(line);
    if (sync) await this.#sync();
    const mark = this.#marks.at(-1);
    if (!mark || this.#end - mark.offset >= 1024 * 1024) this.#marks.push({ seq: this.#lastSeq, offset: this.#end });
    this.#end += line.length;
    this.#lastSeq = event.seq;
  }

  /** The events from `fromSeq` on that are in the log now. Does not wait for later appends. */
  read(fromSeq = 1): AsyncGenerator<SessionEvent> {
    let from: LogPosition = { seq: 0, offset: 0 };
    for (const mark of this.#marks) {
      if (mark.seq < fromSeq && mark.offset > from.offset) from = mark;
    }
    return readEvents(this.path, from, this.#end, fromSeq);
  }

  /**
   * Starts to sync what was written, and returns. If that fails, the log takes no more records (`log-damaged`): later
   * ones may already follow, so nothing can be taken back.
   */
  syncSoon(): void {
    if (this.#broken || this.#isClosed) return;
    if (this.#soon) this.#isSoonAgain = true;
    else this.#soon = this.#syncUntilQuiet();
  }

  /** Closes the file after a running sync has ended. Safe to call twice. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const end = (): void => closeSync(this.#fd);
    if (this.#soon) void this.#soon.then(end);
    else end();
  }

  /** Never rejects: the next append reports a failure. */
  async #syncUntilQuiet(): Promise<void> {
    do {
      this.#isSoonAgain = false;
      try {
        await this.#io.sync(this.#fd);
      } catch (error) {
        this.#breakWith(error);
      }
    } while (this.#isSoonAgain && !this.#broken && !this.#isClosed);
    this.#soon = null;
  }

  #write(line: Uint8Array): void {
    let written = 0;
    try {
      written = this.#io.write(this.#fd, line);
    } catch (error) {
      this.#truncateToEnd();
      throw isDiskFull(error)
        ? diskFull(error)
        : new AppError('internal', `The log cannot be written: ${messageOf(error)}.`, { cause: error });
    }
    // A full disk may take only a part of the record without an error.
    if (written === line.length) return;
    this.#truncateToEnd();
    throw diskFull(undefined);
  }

  async #sync(): Promise<void> {
    const before = this.#soon;
    this.#isSoonAgain = false;
    try {
      await this.#io.sync(this.#fd);
      // The system reports a failed write only once, and may have reported it to the other sync.
      if (before) await before;
      if (this.#broken) throw this.#broken;
    } catch (error) {
      this.#truncateToEnd();
      if (this.#broken) throw this.#broken;
      if (isDiskFull(error)) throw diskFull(error);
      // After a failed sync it is unknown which pages reached the disk.
      throw this.#breakWith(error);
    }
  }

  #truncateToEnd(): void {
    try {
      this.#io.truncate(this.#fd, this.#end);
    } catch (error) {
      throw this.#breakWith(error);
    }
  }

  #breakWith(cause: unknown): AppError {
    this.#broken = new AppError(
      'log-damaged',
      `The log of this session can no longer be written: ${messageOf(cause)}.`,
      {
        hint: 'Everything written before is kept. Check the disk, then open the session again.',
        cause,
      },
    );
    return this.#broken;
  }
}

function diskFull(cause: unknown): AppError {
  return new AppError('disk-full', 'The disk is full: the last entry of the log could not be written.', {
    hint: 'Everything before it is kept. Free some space, then continue.',
    cause,
  });
}
