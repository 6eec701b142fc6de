import { AppError } from '@shared/errors.ts';
import { isEventType, LOG_VERSION, OLDEST_LOG_VERSION, RECORD_FORM, type SessionEvent } from '@shared/events/events.ts';
import { withNewWords } from '@shared/events/older-words.ts';
import { sizeText } from '@shared/text/size-text.ts';
import { crc32Hex } from '../../lib/files/crc32.ts';

/**
 * One record is one line: the event's JSON with `"crc"` as its last property, the CRC-32 of the bytes before `,"crc"`.
 * A line break ends it. JSON escapes line breaks, so the byte 0x0A occurs nowhere else.
 */
const marker = Buffer.from(',"crc":"');
/** `,"crc":"xxxxxxxx"}` */
const suffixBytes = marker.length + 8 + 2;
const quote = 0x22;
const comma = 0x2c;
const closingBrace = 0x7d;
export const lineEnd = 0x0a;

/** A longer line can be neither written nor read, because the text of a record must fit in one string. */
export const maxRecordBytes = 256 * 1024 * 1024;

/** The bytes of a value as a sealed line, including the line break. Throws AppError `too-large`. */
export function sealRecord(value: object): Buffer {
  const body = JSON.stringify(value).slice(0, -1);
  const length = Buffer.byteLength(body);
  if (length + suffixBytes > maxRecordBytes) {
    throw new AppError('too-large', `A record of ${sizeText(length)} is more than a log can hold.`);
  }
  const line = Buffer.allocUnsafe(length + suffixBytes + 1);
  line.write(body, 'utf8');
  const crc = crc32Hex(line.subarray(0, length));
  line.write(`,"crc":"${crc}"}\n`, length, 'latin1');
  return line;
}

export type UnsealResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string };

/** Checks and parses the sealed line in `bytes[start, end)`, without its line break. Leaves the bytes unchanged. */
export function unsealRecord(bytes: Buffer, start: number, end: number): UnsealResult {
  const bodyEnd = end - suffixBytes;
  if (bodyEnd <= start || !endsInChecksum(bytes, bodyEnd)) return { ok: false, reason: 'no checksum' };
  const stated = bytes.toString('latin1', bodyEnd + marker.length, end - 2);
  if (crc32Hex(bytes.subarray(start, bodyEnd)) !== stated) return { ok: false, reason: 'wrong checksum' };
  // Replaces the comma before "crc" by a closing brace while decoding, which avoids a copy of a long line.
  bytes[bodyEnd] = closingBrace;
  const text = bytes.toString('utf8', start, bodyEnd + 1);
  bytes[bodyEnd] = comma;
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false, reason: 'not JSON' };
  }
}

function endsInChecksum(bytes: Buffer, at: number): boolean {
  const end = at + suffixBytes;
  return (
    marker.compare(bytes, at, at + marker.length) === 0 && bytes[end - 2] === quote && bytes[end - 1] === closingBrace
  );
}

export type DecodedRecord =
  /** `event` is null for a type that this version does not know. */
  | { readonly type: 'event'; readonly seq: number; readonly event: SessionEvent | null }
  | { readonly type: 'bad'; readonly reason: string };

/** Decodes one line of a log. Throws AppError `log-version` for a record that this version cannot read. */
export function decodeRecord(bytes: Buffer, start: number, end: number): DecodedRecord {
  const unsealed = unsealRecord(bytes, start, end);
  if (!unsealed.ok) return { type: 'bad', reason: unsealed.reason };
  const record = withNewWords(unsealed.value);
  if (!isStamped(record)) return { type: 'bad', reason: 'not an event' };
  refuseOtherVersions(record);
  return { type: 'event', seq: record.seq, event: isReadable(record) ? record : null };
}

/** Throws AppError `log-version` for a record of another form, and for the first one of a log too new or too old. */
export function refuseOtherVersions({ v, type, logVersion }: Stamped): void {
  if (v > RECORD_FORM) throw tooNew(v);
  if (v < RECORD_FORM) throw tooOld(v);
  if (type !== 'session-created' || typeof logVersion !== 'number') return;
  if (logVersion > LOG_VERSION) throw tooNew(logVersion);
  if (logVersion < OLDEST_LOG_VERSION) throw tooOld(logVersion);
}

function tooNew(version: number): AppError {
  return new AppError('log-version', `A newer version of Dewpoint wrote this session (log version ${version}).`, {
    hint: 'Update Dewpoint to open it. Nothing was changed.',
  });
}

function tooOld(version: number): AppError {
  return new AppError(
    'log-version',
    `A test version from before the first release wrote this session (log version ${version}).`,
    { hint: 'This version cannot read it. Nothing was changed.' },
  );
}

interface Stamped {
  readonly v: number;
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly logVersion?: unknown;
}

function isStamped(value: unknown): value is Stamped {
  return (
    typeof value === 'object' &&
    value !== null &&
    'v' in value &&
    typeof value.v === 'number' &&
    'seq' in value &&
    typeof value.seq === 'number' &&
    'at' in value &&
    typeof value.at === 'number' &&
    'type' in value &&
    typeof value.type === 'string'
  );
}

/** The checksum of the record is good and its form is ours, so its shape fits the types without another parse. */
function isReadable(record: Stamped): record is Stamped & SessionEvent {
  return isEventType(record.type);
}

/** Where in `line[from, at)` a record begins whose checksum is at `at`. Null: there is none. */
function recordStart(line: Buffer, from: number, at: number, end: number): number | null {
  if (unsealRecord(line, from, end).ok) return from;
  const begin = line.lastIndexOf('{"v":', at);
  return begin > from && unsealRecord(line, begin, end).ok ? begin : null;
}

/** A part of a damaged line: a complete good record, or unreadable bytes. Offsets are within `line`. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly isRecord: boolean;
}

/**
 * Looks for good records inside a damaged line. If the damaged byte is the line break itself, two records are joined
 * and both are still complete.
 */
export function salvage(line: Buffer): readonly Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  let from = 0;
  for (;;) {
    const at = line.indexOf(marker, from);
    if (at < 0) break;
    const end = at + suffixBytes;
    from = at + 1;
    if (end > line.length) break;
    const begin = recordStart(line, start, at, end);
    if (begin === null) continue;
    if (begin > start) pieces.push({ start, end: begin, isRecord: false });
    pieces.push({ start: begin, end, isRecord: true });
    // A record begins with a brace, so the byte in place of the line break cannot begin one.
    const next = line.indexOf('{', end);
    const garbageEnd = next < 0 ? line.length : next;
    if (garbageEnd > end) pieces.push({ start: end, end: garbageEnd, isRecord: false });
    start = garbageEnd;
    from = start;
  }
  if (start < line.length) pieces.push({ start, end: line.length, isRecord: false });
  return pieces;
}
