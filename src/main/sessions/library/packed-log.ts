import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { z } from 'zod';
import { AppError, messageOf } from '@shared/errors.ts';
import type { BlobRef } from '@shared/events/blob-ref.ts';
import type { SessionEvent } from '@shared/events/events.ts';
import { parseEvent } from '@shared/events/events.ts';
import { errorCodeOf, isDiskFull, isMissing, writeProblem } from '../../lib/files/json-file.ts';
import { askDrive } from '../../lib/files/served-drives.ts';
import type { Blobs } from '../blobs/blob-store.ts';
import { createByteReader } from './byte-reader.ts';
import type { ByteReader } from './byte-reader.ts';
import { maxRecordBytes, refuseOtherVersions, sealRecord, unsealRecord } from '../log/log-record.ts';
import { sha256Of } from '../../lib/sha256.ts';

/** The header of a packed log. Its blobs follow the log, in this order. */
interface PackedHeader {
  readonly blobs: readonly BlobRef[];
}

interface Described {
  /** What such a file is, for people, such as "a session file". */
  readonly noun: string;
  /** What was not done if it cannot be read. */
  readonly hint: string;
}

/**
 * A form of file with a log in it: gzip of a line with `name` and `version`, a line of JSON (the header), the records
 * of the log as lines, an empty line, and the bytes of the blobs.
 */
export interface PackedForm<Header extends PackedHeader> extends Described {
  readonly name: string;
  readonly version: number;
  readonly schema: z.ZodType<Header>;
  /** The most bytes of its records, and of its blobs. Absent: only what such a file may unpack to at all. */
  readonly most?: { readonly logBytes: number; readonly blobBytes: number };
}

/** Above these values, counting and formatting dates fail. */
const maxSeq = 1e12;
const maxTime = 8.64e15;

const maxHeaderBytes = 64 * 1024 * 1024;
/** A larger blob was never stored as one file, and would not fit in memory twice. */
const maxBlobBytes = 512 * 1024 * 1024;
/** The most that a file may unpack to, in all and for each of its own bytes. A real session packs to a tenth. */
const maxUnpackedBytes = 16 * 1024 ** 3;
const maxRatio = 150;
const freeBytes = 32 * 1024 * 1024;

interface WriteOptions<Header extends PackedHeader> {
  readonly path: string;
  readonly header: Header;
  readonly read: () => AsyncIterable<SessionEvent>;
  readonly blobs: Pick<Blobs, 'get'>;
}

/** Writes the log and the blobs of the header completely or not at all. Rejects with `disk-full` or `bad-input`. */
export async function writePackedLog<Header extends PackedHeader>(
  form: PackedForm<Header>,
  options: WriteOptions<Header>,
  signal: AbortSignal,
): Promise<void> {
  const { noun, most } = form;
  if (most !== undefined && bytesOf(options.header.blobs) > most.blobBytes) throw tooLarge(noun, 'What its log stored');
  await writeWhole(options.path, { pieces: piecesOf(form, options), isPacked: true }, signal);
}

const bytesOf = (blobs: readonly BlobRef[]): number => blobs.reduce((sum, { bytes }) => sum + bytes, 0);

function tooLarge(noun: string, what: string): AppError {
  return new AppError('bad-input', `${what} is too large for ${noun}.`, {
    hint: 'Nothing was written. To keep all of it: dewpoint sessions export SESSION FILE',
  });
}

interface Written {
  readonly pieces: AsyncIterable<Buffer | string>;
  readonly isPacked: boolean;
}

/**
 * Writes an exported file piece by piece, completely or not at all. Replaces only regular files, because replacing a
 * device would break it for everybody. Rejects with `disk-full` or `bad-input`.
 */
export async function writeWhole(path: string, written: Written, signal: AbortSignal): Promise<void> {
  const folder = dirname(path);
  const write = (left: AbortSignal) => writeThere(path, written, AbortSignal.any([signal, left]));
  await askDrive(folder, write, { signal });
}

async function writeThere(path: string, { pieces, isPacked }: Written, signal: AbortSignal): Promise<void> {
  await requireFile(path);
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const target = createWriteStream(temporary, { flags: 'wx', mode: 0o600 });
    await pipeline([Readable.from(pieces), ...(isPacked ? [createGzip()] : []), target], { signal });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw writeError(error, path);
  }
}

async function requireFile(path: string): Promise<void> {
  // No file exists yet. The write itself reports any other problem.
  const found = await stat(path).catch(() => null);
  if (found !== null && !found.isFile()) throw new AppError('bad-input', `${path} exists and is not a file.`);
}

function writeError(error: unknown, path: string): unknown {
  if (error instanceof AppError || (error instanceof Error && error.name === 'AbortError')) return error;
  if (isDiskFull(error)) return new AppError('disk-full', 'Nothing was written: the disk is full.', { cause: error });
  return new AppError('bad-input', `${path} cannot be written: ${writeProblem(error)}.`, { cause: error });
}

async function* piecesOf<Header extends PackedHeader>(
  { name, version, noun, most }: PackedForm<Header>,
  { header, read, blobs }: WriteOptions<Header>,
): AsyncGenerator<Buffer> {
  let logBytes = 0;
  yield Buffer.from(`${name} ${version}\n${JSON.stringify(header)}\n`);
  for await (const event of read()) {
    const record = sealRecord(event);
    logBytes += record.length;
    if (logBytes > (most?.logBytes ?? Number.POSITIVE_INFINITY)) throw tooLarge(noun, 'Its log');
    yield record;
  }
  yield Buffer.from('\n');
  for (const ref of header.blobs) {
    const bytes = await blobs.get(ref);
    if (bytes === null)
      throw new AppError('not-found', 'A file changed or disappeared while it was written.', {
        hint: 'Nothing was written. Try again.',
      });
    yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
}

/** A file that is being read. All of it is untrusted: anything invalid ends the reading. */
export interface PackedLog<Header extends PackedHeader> {
  readonly header: Header;
  /** Each record is checked and parsed. Must be read to its end, once. */
  events(): AsyncGenerator<SessionEvent>;
  /** Call it after `events`: stores the blobs whose bytes match their names. */
  keepBlobs(blobs: Pick<Blobs, 'put'>): Promise<void>;
  close(): void;
}

/** Rejects with `bad-input` for a file of another form, `log-version` for another version, and `not-found`. */
export async function openPackedLog<Header extends PackedHeader>(
  form: PackedForm<Header>,
  path: string,
  signal: AbortSignal,
): Promise<PackedLog<Header>> {
  const packed = await stat(path).catch(() => null);
  // Opening a pipe would wait for its other end.
  if (packed?.isFile() === false) throw notOfForm(form, 'it is no file');
  const most = Math.min(maxUnpackedBytes, freeBytes + (packed?.size ?? 0) * maxRatio);
  const source = createReadStream(path);
  const unpacked = atMost(most);
  // Reading the bytes reports a failure of any of the streams, or an abort.
  void pipeline(source, createGunzip(), unpacked, { signal }).catch(() => undefined);
  const reader = createByteReader(unpacked);
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      source.destroy();
      throw signal.aborted ? new AppError('cancelled', 'It was cancelled.') : readError(form, path, error);
    }
  };
  const header = await guarded(() => readHeader(form, reader));
  // Before anything of it is stored.
  if (bytesOf(header.blobs) > Math.min(most, form.most?.blobBytes ?? most)) {
    source.destroy();
    throw notOfForm(form, tooMuch);
  }
  return {
    header,
    events: async function* events() {
      let logBytes = 0;
      for (;;) {
        const event = await guarded(async () => {
          const line = await reader.line(maxRecordBytes);
          logBytes += (line?.length ?? 0) + 1;
          if (logBytes > (form.most?.logBytes ?? most)) throw new Error(tooMuch);
          return readRecord(line);
        });
        if (event === 'end') return;
        if (event !== null) yield event;
      }
    },
    keepBlobs: (blobs) => guarded(() => keepBlobs(reader, header.blobs, blobs)),
    close: () => void source.destroy(),
  };
}

const tooMuch = 'it unpacks to far more than a session holds';

/** Lets so many bytes through, then fails. */
function atMost(bytes: number): Transform {
  let left = bytes;
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      left -= chunk.length;
      if (left < 0) done(new Error(tooMuch));
      else done(null, chunk);
    },
  });
}

function readError(form: Described, path: string, error: unknown): unknown {
  if (error instanceof AppError) return error;
  if (isMissing(error)) return new AppError('not-found', `The file ${path} was not found.`);
  if (errorCodeOf(error) === 'EISDIR') return notOfForm(form, 'it is a folder');
  return notOfForm(form, messageOf(error));
}

function notOfForm({ noun, hint }: Described, why: string): AppError {
  return new AppError('bad-input', `This is not ${noun}, or it is damaged: ${why}.`, { hint });
}

async function readHeader<Header extends PackedHeader>(
  { name, version, noun, schema }: PackedForm<Header>,
  reader: ByteReader,
): Promise<Header> {
  const first = (await reader.line(200))?.toString('utf8') ?? '';
  if (first !== `${name} ${version}`) {
    if (!first.startsWith(`${name} `)) throw new Error('its beginning is wrong');
    throw new AppError('log-version', `A newer version of Dewpoint wrote this file, which says that it is ${noun}.`);
  }
  const parsed = schema.safeParse(JSON.parse((await reader.line(maxHeaderBytes))?.toString('utf8') ?? 'null'));
  if (!parsed.success) throw new Error('its header is wrong');
  return parsed.data;
}

/** Null: the type is unknown to this version. */
function readRecord(line: Buffer | null): SessionEvent | null | 'end' {
  if (line === null) throw new Error('its log has no end');
  if (line.length === 0) return 'end';
  const unsealed = unsealRecord(line, 0, line.length);
  if (!unsealed.ok) throw new Error(`a record has ${unsealed.reason}`);
  const event = parseRecord(unsealed.value);
  if (event !== null && (event.seq > maxSeq || Math.abs(event.at) > maxTime))
    throw new Error('a record is numbered wrongly');
  if (event !== null) refuseOtherVersions(event);
  return event;
}

/** The checksum only shows that nothing changed, not that Dewpoint wrote it. So its shape is parsed. */
function parseRecord(value: unknown): SessionEvent | null {
  try {
    return parseEvent(value);
  } catch {
    throw new Error('a record is wrong');
  }
}

async function keepBlobs(reader: ByteReader, refs: readonly BlobRef[], blobs: Pick<Blobs, 'put'>): Promise<void> {
  for (const ref of refs) {
    if (ref.bytes > maxBlobBytes) throw new Error('one of its files is too large');
    const bytes = await reader.take(ref.bytes);
    if (bytes === null || sha256Of(bytes) !== ref.sha256) {
      throw new Error('one of its files does not match its name');
    }
    await blobs.put(bytes);
  }
  if ((await reader.take(1)) !== null) throw new Error('it has data after its end');
}
