import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { openChunkIndex, type ChunkIndex } from './chunk-index.ts';
import { documentChunks } from './document-chunks.ts';

const fileSchema = z.object({ path: z.string(), fingerprint: z.string() });
const lineSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('take'), files: z.array(fileSchema) }),
  z.object({ type: z.literal('add'), files: z.array(fileSchema.extend({ text: z.string() })) }),
  z.object({
    type: z.literal('find'),
    words: z.string(),
    limit: z.number().int(),
    by: z.object({ digest: z.string(), row: z.string() }).optional(),
  }),
  z.object({ type: z.literal('forget'), paths: z.array(z.string().min(1)) }),
  z.object({ type: z.literal('count'), digest: z.string() }),
  z.object({ type: z.literal('unread'), digest: z.string(), after: z.number().int(), most: z.number().int() }),
  z.object({
    type: z.literal('vectors'),
    digest: z.string(),
    made: z.array(z.object({ chunk: z.number().int(), rows: z.array(z.string()) })),
  }),
]);

/** `day`: today, counted from 1970. Answers each line of JSON with one: which files or vectors are missing, that some were added, or what was found. */
export async function serveIndex(
  { path, day }: { readonly path: string; readonly day: number },
  input: Readable,
  say: (line: string) => void,
): Promise<void> {
  const index = openChunkIndex(path, day);
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
      return { chunks: index.find(asked.words, asked.limit, asked.by) };
    case 'forget':
      index.forgetPaths(asked.paths);
      return { added: 0 };
    case 'count':
      return index.vectors.count(asked.digest);
    case 'unread':
      return { unread: index.vectors.unread(asked.digest, asked) };
    case 'vectors':
      index.vectors.add(asked.digest, asked.made);
      return { added: asked.made.length };
    default:
      return asked satisfies never;
  }
}
