import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { SessionEvent } from '@shared/events/events.ts';
import { decodeRecord, lineEnd, maxRecordBytes, salvage } from './log-record.ts';

const chunkBytes = 1024 * 1024;

/** A position between two records of a log. */
export interface LogPosition {
  /** The number of the last record before this position. 0 at the beginning. */
  readonly seq: number;
  readonly offset: number;
}

/** Bytes of a log that are not a record. */
export interface Damage {
  readonly start: number;
  readonly end: number;
  readonly reason: string;
}

export interface ScanResult {
  readonly lastSeq: number;
  /** The end of the scanned bytes. */
  readonly end: number;
  readonly records: number;
  readonly damage: readonly Damage[];
  /** Gaps in the numbers of records that no later `session-repaired` reports. */
  readonly missing: readonly { readonly after: number; readonly before: number }[];
  /** Positions about every MiB, for reading from the middle. */
  readonly marks: readonly LogPosition[];
  /** The last record is complete except for its line break. */
  readonly lacksLineEnd: boolean;
}

/** One line, or the rest at the end: `bytes[start, end)` without the line break. */
interface Line {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** The position of `start` in the file. */
  readonly offset: number;
  readonly hasLineEnd: boolean;
  /** Longer than a record may be: `bytes` is empty, and `lengthBytes` gives the length. */
  readonly tooLong: boolean;
  readonly lengthBytes: number;
}

/** Splits `[from, until)` of a file into lines, a chunk at a time. Holds only one chunk and one line in memory. */
async function* readLines(file: FileHandle, from: number, until: number): AsyncGenerator<readonly Line[]> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  let position = from;
  const makeLine = (tail: Buffer, hasLineEnd: boolean, end: number): Line => {
    const lengthBytes = restBytes + tail.length;
    const tooLong = lengthBytes > maxRecordBytes;
    const bytes = tooLong ? Buffer.alloc(0) : rest.length === 0 ? tail : Buffer.concat([...rest, tail], lengthBytes);
    rest = [];
    restBytes = 0;
    return { bytes, start: 0, end: bytes.length, offset: end - lengthBytes, hasLineEnd, tooLong, lengthBytes };
  };
  while (position < until) {
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, until - position));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) break;
    const lines: Line[] = [];
    let start = 0;
    for (;;) {
      const found = chunk.indexOf(lineEnd, start);
      if (found < 0 || found >= bytesRead) break;
      lines.push(makeLine(chunk.subarray(start, found), true, position + found));
      start = found + 1;
    }
    if (start < bytesRead) {
      restBytes += bytesRead - start;
      if (restBytes > maxRecordBytes) rest = [];
      else rest.push(chunk.subarray(start, bytesRead));
    }
    position += bytesRead;
    yield lines;
  }
  if (restBytes > 0) yield [makeLine(Buffer.alloc(0), false, position)];
}

/** Collects the findings of a scan. Call `line` once for each line, in order. */
class Scan {
  lastSeq: number;
  records = 0;
  lacksLineEnd = false;
  readonly damage: Damage[] = [];
  missing: { after: number; before: number }[] = [];
  readonly marks: LogPosition[];
  readonly #onEvent: (event: SessionEvent) => void;

  constructor(from: LogPosition, onEvent: (event: SessionEvent) => void) {
    this.lastSeq = from.seq;
    this.marks = [{ seq: from.seq, offset: from.offset }];
    this.#onEvent = onEvent;
  }

  line(line: Line): void {
    const end = line.offset + line.lengthBytes;
    if (line.tooLong) {
      this.#damaged(line.offset, end + (line.hasLineEnd ? 1 : 0), 'a line longer than any record');
      return;
    }
    const decoded = decodeRecord(line.bytes, line.start, line.end);
    if (decoded.type === 'event') {
      this.#good(decoded.seq, decoded.event, line.offset);
      if (!line.hasLineEnd) this.lacksLineEnd = true;
      return;
    }
    const reason = line.hasLineEnd ? decoded.reason : 'the last record is cut off';
    this.#salvage(line, reason);
  }

  #salvage(line: Line, reason: string): void {
    const last = line.lengthBytes;
    const pieces = salvage(line.bytes);
    for (const piece of pieces) {
      const start = line.offset + piece.start;
      // The line break belongs to the last piece, so that no empty line stays behind.
      const end = line.offset + piece.end + (piece.end === last && line.hasLineEnd ? 1 : 0);
      const decoded = piece.isRecord ? decodeRecord(line.bytes, piece.start, piece.end) : null;
      if (decoded?.type === 'event') this.#good(decoded.seq, decoded.event, start);
      else this.#damaged(start, end, reason);
    }
    if (pieces.length === 0)
      this.#damaged(line.offset, line.offset + last + (line.hasLineEnd ? 1 : 0), 'an empty line');
  }

  #damaged(start: number, end: number, reason: string): void {
    const previous = this.damage.at(-1);
    if (previous?.end === start)
      this.damage[this.damage.length - 1] = { start: previous.start, end, reason: previous.reason };
    else this.damage.push({ start, end, reason });
  }

  #good(seq: number, event: SessionEvent | null, offset: number): void {
    if (seq !== this.lastSeq + 1) this.missing.push({ after: this.lastSeq, before: seq });
    if (event?.type === 'session-repaired') this.missing = [];
    const mark = this.marks.at(-1);
    if (mark && offset - mark.offset >= chunkBytes) this.marks.push({ seq: this.lastSeq, offset });
    this.lastSeq = Math.max(this.lastSeq, seq);
    this.records += 1;
    if (event) this.#onEvent(event);
  }
}

/**
 * Reads and checks a log from a position on, and passes its good events on in order. Changes nothing. Rejects with
 * AppError `log-version`, or with the file system's error.
 */
export async function scanLog(
  path: string,
  from: LogPosition,
  onEvent: (event: SessionEvent) => void,
): Promise<ScanResult> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const scan = new Scan(from, onEvent);
    for await (const lines of readLines(file, from.offset, size)) {
      for (const line of lines) scan.line(line);
    }
    const { lastSeq, records, damage, missing, marks, lacksLineEnd } = scan;
    return { lastSeq, end: size, records, damage, missing, marks, lacksLineEnd };
  } finally {
    await file.close();
  }
}

/** The good events in `[from, until)` of a log, in order, starting with record `fromSeq`. Skips damage. */
export async function* readEvents(
  path: string,
  from: LogPosition,
  until: number,
  fromSeq: number,
): AsyncGenerator<SessionEvent> {
  const file = await open(path, 'r');
  try {
    for await (const lines of readLines(file, from.offset, until)) {
      for (const line of lines) {
        if (line.tooLong) continue;
        const decoded = decodeRecord(line.bytes, line.start, line.end);
        if (decoded.type === 'event' && decoded.event && decoded.seq >= fromSeq) yield decoded.event;
      }
    }
  } finally {
    await file.close();
  }
}

/** Some consecutive events of a log, and the position after the last one. */
export interface LogPiece {
  readonly events: readonly SessionEvent[];
  readonly next: LogPosition;
}

/**
 * The good events from a position on, about a MiB at a time, for readers that continue later where they stopped. An
 * incomplete record is left for the next time.
 */
export async function* readPieces(path: string, from: LogPosition): AsyncGenerator<LogPiece> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    let next = from;
    for await (const lines of readLines(file, from.offset, size)) {
      const events: SessionEvent[] = [];
      for (const line of lines) {
        if (!line.hasLineEnd) continue;
        const decoded = line.tooLong ? null : decodeRecord(line.bytes, line.start, line.end);
        const seq = decoded?.type === 'event' ? decoded.seq : next.seq;
        next = { seq, offset: line.offset + line.lengthBytes + 1 };
        if (decoded?.type === 'event' && decoded.event) events.push(decoded.event);
      }
      if (next.offset > from.offset) yield { events, next };
    }
  } finally {
    await file.close();
  }
}
