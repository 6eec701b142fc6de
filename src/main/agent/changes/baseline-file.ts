import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { z } from 'zod';
import { AppError, messageOf } from '@shared/errors.ts';
import { neverAborts } from '../../lib/async/abort.ts';
import { pauses } from '../../lib/async/pauses.ts';
import { isMissing } from '../../lib/files/json-file.ts';
import type { KnownFile } from './known-file.ts';

/** What was about to change files when a baseline was written. */
const markSchema = z.strictObject({
  /** The number of the last event before it. Changes after it are in the log. */
  seq: z.number(),
  at: z.number(),
  turnId: z.string(),
  toolCallId: z.string(),
  by: z.enum(['model', 'recipe', 'undo', 'take']),
  /** The files that can change. Null: any. */
  paths: z.array(z.string()).nullable(),
  /** Something goes on after the call, or its changes could not be recorded. */
  isLeft: z.boolean(),
});
export type BaselineMark = z.infer<typeof markSchema>;

const fileSchema = z.strictObject({
  path: z.string(),
  /** Null: no such file. */
  sizeBytes: z.number().nullable(),
  mode: z.number(),
  why: z.enum(['too-large', 'not-a-file', 'no-text-name']).nullable(),
  /** How many bytes of content follow the line. */
  kept: z.number().int().nonnegative(),
});
const endSchema = z.strictObject({ mark: markSchema, sha256: z.string() });

/** Files by path. Of two with one path, the later one counts. */
type FilesThen = Iterable<readonly [string, KnownFile | null]>;

/**
 * The workspace's files as they were before a command, on disk, so that its changes can be undone even if the program
 * dies while it runs. The file is beside the log of the session and is removed when the session ends well.
 */
export interface BaselineFile {
  /** Adds files as they are now (null: it does not exist). Resolves when they would survive a power cut. */
  readonly add: (files: FilesThen, mark: BaselineMark) => Promise<void>;
  /** How many bytes it has grown since it was begun. */
  readonly bytes: () => number;
  /** Begins again, with these files in place of all others. */
  readonly replace: (files: FilesThen, mark: BaselineMark) => Promise<void>;
  readonly remove: () => Promise<void>;
}

export interface SavedBaseline {
  readonly files: ReadonlyMap<string, KnownFile | null>;
  readonly mark: BaselineMark;
}

const lineEnd = 0x0a;
/** Pieces of about this size are written at once. */
const pieceBytes = 256 * 1024;

export function createBaselineFile(path: string): BaselineFile {
  let handle: FileHandle | null = null;
  let bytes = 0;
  const add: BaselineFile['add'] = (files, mark) =>
    asDiskError(async () => {
      handle ??= await open(path, 'w', 0o600);
      bytes += await writeBatch(handle, files, mark);
    });
  const close = async (): Promise<void> => {
    await handle?.close();
    handle = null;
    bytes = 0;
  };
  return {
    add,
    bytes: () => bytes,
    replace: (files, mark) =>
      asDiskError(async () => {
        const next = await open(`${path}.new`, 'w', 0o600);
        try {
          const size = await writeBatch(next, files, mark);
          await rename(`${path}.new`, path);
          await close();
          handle = next;
          bytes = size;
        } finally {
          if (handle !== next) await next.close();
        }
      }),
    remove: async () => {
      await close();
      await rm(path, { force: true });
      await rm(`${path}.new`, { force: true });
    },
  };
}

/** The files of the last complete batch. Null: there is no such file, or no batch of it is complete. */
export async function readBaselineFile(path: string): Promise<SavedBaseline | null> {
  const bytes = await readFile(path).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (bytes === null) return null;
  const files = new Map<string, KnownFile | null>();
  let mark: BaselineMark | null = null;
  let batch = new Map<string, KnownFile | null>();
  let start = 0;
  const pause = pauses(neverAborts);
  for (let at = 0; at < bytes.length;) {
    await pause();
    const end = bytes.indexOf(lineEnd, at);
    const line = end < 0 ? null : parsed(bytes.toString('utf8', at, end));
    if (line === null) break;
    if ('mark' in line) {
      // A batch that a power cut tore was never waited for, so nothing had begun.
      if (createHash('sha256').update(bytes.subarray(start, at)).digest('hex') !== line.sha256) break;
      for (const [name, file] of batch) files.set(name, file);
      mark = line.mark;
      batch = new Map();
      at = end + 1;
      start = at;
      continue;
    }
    const { path: name, kept, sizeBytes, mode, why } = line;
    const content = why === null ? bytes.subarray(end + 1, end + 1 + kept) : null;
    batch.set(name, sizeBytes === null ? null : { fingerprint: null, sizeBytes, mode, bytes: content, why });
    at = end + 1 + kept;
  }
  return mark === null ? null : { files, mark };
}

function parsed(line: string): z.infer<typeof fileSchema> | z.infer<typeof endSchema> | null {
  try {
    const value: unknown = JSON.parse(line);
    const end = endSchema.safeParse(value);
    if (end.success) return end.data;
    const file = fileSchema.safeParse(value);
    return file.success ? file.data : null;
  } catch {
    return null;
  }
}

/** Returns how many bytes were written. */
async function writeBatch(handle: FileHandle, files: FilesThen, mark: BaselineMark): Promise<number> {
  const hash = createHash('sha256');
  let total = 0;
  let pieces: Uint8Array[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    const piece = Buffer.concat(pieces);
    for (let done = 0; done < piece.length;) done += (await handle.write(piece, done)).bytesWritten;
    total += piece.length;
    pieces = [];
    size = 0;
  };
  for (const [path, file] of files) {
    const content = file?.bytes ?? new Uint8Array();
    const { sizeBytes = null, mode = 0, why = null } = file ?? {};
    const line = Buffer.from(`${JSON.stringify({ path, sizeBytes, mode, why, kept: content.length })}\n`);
    hash.update(line).update(content);
    pieces.push(line, content);
    size += line.length + content.length;
    if (size >= pieceBytes) await flush();
  }
  pieces.push(Buffer.from(`${JSON.stringify({ mark, sha256: hash.digest('hex') })}\n`));
  await flush();
  await handle.datasync();
  return total;
}

async function asDiskError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new AppError('disk-full', `The files as they are now could not be kept: ${messageOf(error)}. Nothing ran.`, {
      hint: 'Free some disk space, then continue.',
      cause: error,
    });
  }
}
