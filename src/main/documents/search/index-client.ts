import type { ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { FoundPart } from '@shared/documents/document-search.ts';
import { AppError } from '@shared/errors.ts';
import type { HostPrograms } from '../../lib/programs/host-programs.ts';
import type { IndexedFile } from './chunk-index.ts';
import type { ChunkVectors, MadeVectors, UnreadChunk, VectorCount, VectorQuery } from './chunk-vectors.ts';

export interface IndexOptions {
  readonly programs: Pick<HostPrograms, 'start'>;
  readonly nodePath: string;
  /** The built `document-process`. */
  readonly processPath: string;
  /** The file of the index, in the cache. */
  readonly indexPath: string;
}

/** An index in a process of its own, as long as one search or the making of vectors takes. Rejects once the process has ended. */
export interface IndexClient {
  /** As `take` of the index. */
  readonly take: (files: readonly IndexedFile[]) => Promise<readonly IndexedFile[]>;
  readonly add: (files: readonly (IndexedFile & { readonly text: string })[]) => Promise<void>;
  readonly find: (words: string, limit: number, by?: VectorQuery) => Promise<readonly FoundPart[]>;
  /** As `count`, `unread` and `add` of the vectors in the index. */
  readonly count: (digest: string) => Promise<VectorCount>;
  readonly unread: (digest: string, asked: Parameters<ChunkVectors['unread']>[1]) => Promise<readonly UnreadChunk[]>;
  readonly addVectors: (digest: string, made: readonly MadeVectors[]) => Promise<void>;
  /** As `forgetPaths` of the index. */
  readonly forgetPaths: (paths: readonly string[]) => Promise<void>;
  readonly close: () => void;
}

const heapMb = 256;
/** A search by meaning reads a row for each vector, and lets go of it at once. More room would only fill with such rows. */
const youngMb = 4;
const fileSchema = z.object({ path: z.string(), fingerprint: z.string() });
const takenSchema = z.object({ missing: z.array(fileSchema) });
const addedSchema = z.object({ added: z.number() });
const countSchema = z.object({ done: z.number().int(), of: z.number().int() });
const unreadSchema = z.object({
  unread: z.array(z.object({ chunk: z.number().int(), pieces: z.array(z.string()) })),
});
const foundSchema = z.object({
  chunks: z.array(
    z.object({
      path: z.string(),
      fromLine: z.number().int(),
      toLine: z.number().int(),
      page: z.number().int().nullable(),
      title: z.string(),
      text: z.string(),
    }),
  ),
});

/** Starts the process. `day`: today, counted from 1970. It is ended on abort, and by `close`. */
export function openIndex(options: IndexOptions, day: number, signal: AbortSignal): IndexClient {
  mkdirSync(dirname(options.indexPath), { recursive: true, mode: 0o700 });
  const limits = [`--max-old-space-size=${heapMb}`, `--max-semi-space-size=${youngMb}`];
  const args = [...limits, options.processPath, 'index', options.indexPath, String(day)];
  const child = options.programs.start(options.nodePath, args, { needs: [], stdio: ['pipe', 'pipe', 'ignore'] });
  const end = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  const answers = answersOf(child);
  const ask = async (line: object): Promise<unknown> => {
    child.stdin?.write(`${JSON.stringify(line)}\n`);
    const next = await answers.next();
    signal.throwIfAborted();
    if (next.done === true) throw new AppError('internal', 'The search of documents ended before it answered.');
    return JSON.parse(next.value);
  };
  return {
    take: async (files) => takenSchema.parse(await ask({ type: 'take', files })).missing,
    add: async (files) => void addedSchema.parse(await ask({ type: 'add', files })),
    find: async (words, limit, by) => foundSchema.parse(await ask({ type: 'find', words, limit, by })).chunks,
    count: async (digest) => countSchema.parse(await ask({ type: 'count', digest })),
    unread: async (digest, asked) => unreadSchema.parse(await ask({ type: 'unread', digest, ...asked })).unread,
    addVectors: async (digest, made) => void addedSchema.parse(await ask({ type: 'vectors', digest, made })),
    forgetPaths: async (paths) => void addedSchema.parse(await ask({ type: 'forget', paths })),
    close: () => {
      signal.removeEventListener('abort', end);
      // At the end of its input it closes the index and ends.
      child.stdin?.end();
    },
  };
}

function answersOf(child: ChildProcess): AsyncIterator<string> {
  // How it ended is seen by its output ending.
  child.on('error', () => undefined);
  child.stdin?.on('error', () => undefined);
  const { stdout } = child;
  if (stdout === null) throw new Error('The process has no output.');
  return createInterface({ input: stdout, crlfDelay: Infinity })[Symbol.asyncIterator]();
}
