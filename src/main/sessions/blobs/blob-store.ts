import { createHash, randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, renameSync, rmSync, statSync, utimesSync, writeSync } from 'node:fs';
import { open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, messageOf } from '@shared/errors.ts';
import type { BlobRef } from '@shared/events/blob-ref.ts';
import { errorCodeOf, isDiskFull, isMissing, writeFileAtomic } from '../../lib/files/json-file.ts';
import type { BlobSink } from '../journal/journal.ts';
import type { Redactor } from '../log/redactor.ts';
import { sha256Of } from '../../lib/sha256.ts';

/** Bytes stored under their own hash and shared by all sessions of a home: equal content is stored once. */
export interface Blobs {
  /** Stores the bytes unchanged. Rejects with AppError `disk-full`; nothing half-written remains. */
  put(bytes: Uint8Array): Promise<BlobRef>;
  /** Null if the blob is gone, or if its bytes no longer match its name. */
  get(ref: BlobRef): Promise<Uint8Array | null>;
  /** A blob that is written as its bytes come. With a redactor, secrets are removed on the way. */
  open(redactor?: Redactor): BlobSink;
  /**
   * Removes temporary files of killed processes, which are older than this process. Reads the whole folder. Only the
   * process that owns the home may call it, at any time.
   */
  clean(): Promise<void>;
  /** Resolves when the bytes are on the disk. Does nothing for a blob that does not exist. */
  sync(ref: BlobRef): Promise<void>;
}

/** `folder`: `blobs` under the home. Created when first needed. */
export function createBlobs(folder: string): Blobs {
  /** Names that this process has written or checked itself. */
  const good = new Set<string>();
  const synced = new Set<string>();
  const startedAt = Date.now();
  const pathOf = (sha256: string): string => join(folder, sha256);

  const get = async (ref: BlobRef): Promise<Uint8Array | null> => {
    if (!/^[0-9a-f]{64}$/.test(ref.sha256)) return null;
    try {
      const bytes = await readFile(pathOf(ref.sha256));
      return bytes.length === ref.bytes && sha256Of(bytes) === ref.sha256 ? bytes : null;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  };

  const put = async (bytes: Uint8Array): Promise<BlobRef> => {
    const ref = { sha256: sha256Of(bytes), bytes: bytes.length };
    if (good.has(ref.sha256) && isThere(pathOf(ref.sha256), ref.bytes)) return ref;
    // An existing file may be incomplete after a power cut, so only a checked one is kept.
    try {
      const isGood = isThere(pathOf(ref.sha256), ref.bytes) && (await get(ref)) !== null;
      if (!isGood) await write(folder, pathOf(ref.sha256), bytes);
    } catch (error) {
      throw blobError(error);
    }
    good.add(ref.sha256);
    return ref;
  };

  const sync = async (ref: BlobRef): Promise<void> => {
    if (synced.has(ref.sha256)) return;
    try {
      const file = await open(pathOf(ref.sha256), 'r+');
      try {
        await file.datasync();
      } finally {
        await file.close();
      }
      synced.add(ref.sha256);
    } catch (error) {
      if (!isMissing(error)) throw blobError(error);
    }
  };

  return {
    put,
    get,
    sync,
    clean: () => clean(folder, startedAt),
    open: (redactor) => openSink(folder, pathOf, redactor),
  };
}

/** Up to this size a synchronous write, as in the log, is faster than four rounds through the thread pool. */
const writtenAtOnceBytes = 512 * 1024;

async function write(folder: string, path: string, bytes: Uint8Array): Promise<void> {
  if (bytes.length > writtenAtOnceBytes) return writeFileAtomic(path, bytes, { sync: false });
  const temporary = temporaryIn(folder);
  const fd = openTemporary(folder, temporary);
  try {
    const written = writeSync(fd, bytes);
    if (written < bytes.length) throw shortWrite();
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
}

function temporaryIn(folder: string): string {
  return join(folder, `.${randomBytes(6).toString('hex')}.tmp`);
}

/** A full disk may take only a part of the bytes without an error. */
function shortWrite(): Error {
  return Object.assign(new Error('short write'), { code: 'ENOSPC' });
}

/** Writes of this process began after its start. File systems round times, so slightly earlier ones count as well. */
const roundedMs = 2_000;

async function clean(folder: string, startedAt: number): Promise<void> {
  try {
    for (const name of await readdir(folder)) {
      if (!/^\.[0-9a-f]{12}\.tmp$/.test(name)) continue;
      const { mtimeMs } = await stat(join(folder, name));
      if (mtimeMs < startedAt - roundedMs) await rm(join(folder, name), { force: true });
    }
  } catch (error) {
    // Without a folder nothing is stored yet. Files that cannot be read or removed cause an error where they are
    // needed.
    if (!isMissing(error) && errorCodeOf(error) === null) throw error;
  }
}

const youngMs = 24 * 60 * 60_000;

/**
 * A blob that is wanted again counts as new, because `findUnreferencedBlobs` removes only old ones. Both functions
 * check and act synchronously, so neither runs in the middle of the other.
 */
function isThere(path: string, bytes: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  const now = Date.now();
  if (found.mtimeMs < now - youngMs) utimesSync(path, now / 1000, now / 1000);
  return found.size === bytes;
}

function blobError(error: unknown): AppError {
  if (!isDiskFull(error))
    return new AppError('internal', `A file of the session could not be kept: ${messageOf(error)}.`, { cause: error });
  return new AppError('disk-full', 'A file of the session could not be kept: the disk is full.', {
    hint: 'Free some space, then continue.',
    cause: error,
  });
}

/** Writes synchronously, so that long output takes no memory. `end` reports a failure. */
function openSink(folder: string, pathOf: (sha256: string) => string, redactor: Redactor | undefined): BlobSink {
  const temporary = temporaryIn(folder);
  const hash = createHash('sha256');
  const redaction = redactor?.stream();
  let fd: number | null = null;
  let bytesKept = 0;
  let problem: unknown = null;

  const keep = (bytes: Uint8Array): void => {
    if (problem !== null || bytes.length === 0) return;
    try {
      fd ??= openTemporary(folder, temporary);
      const written = writeSync(fd, bytes);
      if (written < bytes.length) throw shortWrite();
      hash.update(bytes);
      bytesKept += bytes.length;
    } catch (error) {
      problem = error;
    }
  };
  const close = (): void => {
    if (fd !== null) closeSync(fd);
    fd = null;
  };
  const discard = async (): Promise<void> => {
    if (fd === null) return;
    close();
    rmSync(temporary, { force: true });
  };

  return {
    get bytes() {
      return bytesKept;
    },
    write: (bytes) => keep(redaction ? redaction.write(bytes) : bytes),
    discard,
    end: async () => {
      if (redaction) keep(redaction.end());
      try {
        if (problem !== null) throw problem;
        fd ??= openTemporary(folder, temporary);
        const sha256 = hash.digest('hex');
        renameSync(temporary, pathOf(sha256));
        close();
        return { sha256, bytes: bytesKept };
      } catch (error) {
        await discard();
        throw blobError(error);
      }
    },
  };
}

function openTemporary(folder: string, path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    if (errorCodeOf(error) !== 'ENOENT') throw error;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return openSync(path, 'wx', 0o600);
  }
}
