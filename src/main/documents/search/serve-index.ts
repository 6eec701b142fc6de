import { closeSync, fchmodSync, openSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { openChunkIndex, type ChunkIndex } from './chunk-index.ts';
import { documentChunks } from './document-chunks.ts';

const fileSchema = z.object({ path: z.string(), fingerprint: z.string() });
const lineSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('take'), files: z.array(fileSchema) }),
  z.object({ type: z.literal('add'), files: z.array(fileSchema.extend({ text: z.string() })) }),
  z.object({ type: z.literal('find'), words: z.string(), limit: z.number().int() }),
]);

/** Another search may write at the same time. */
const busyMs = 10_000;

/** `day`: today, counted from 1970. Answers each line of JSON with one: which files are missing, that some were added, or what was found. */
export async function serveIndex(
  { path, day }: { readonly path: string; readonly day: number },
  input: Readable,
  say: (line: string) => void,
): Promise<void> {
  const index = openIndex(path, day);
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    const asked = lineSchema.parse(JSON.parse(line));
    say(JSON.stringify(answer(index, asked)));
  }
  index.close();
}

function answer(index: ChunkIndex, asked: z.infer<typeof lineSchema>): object {
  switch (asked.type) {
    case 'take':
      return { missing: index.take(asked.files) };
    case 'add':
      for (const { text, ...file } of asked.files) index.add(file, documentChunks(text));
      return { added: asked.files.length };
    case 'find':
      return { chunks: index.find(asked.words, asked.limit) };
    default:
      return asked satisfies never;
  }
}

/** A damaged index, or one of another version, is made again. */
function openIndex(path: string, day: number): ChunkIndex {
  const open = (): ChunkIndex => {
    // `-wal` and `-shm` get the mode of this file.
    const file = openSync(path, 'a', 0o600);
    fchmodSync(file, 0o600);
    closeSync(file);
    const db = new DatabaseSync(path, { timeout: busyMs });
    try {
      return openChunkIndex(db, day);
    } catch (error) {
      db.close();
      throw error;
    }
  };
  try {
    return open();
  } catch (error) {
    // Another search has it open and is right.
    if (error instanceof Error && /locked|busy/u.test(error.message)) throw error;
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
    return open();
  }
}
