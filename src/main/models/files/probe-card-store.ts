import { z } from 'zod';
import { keptCardSchema } from '@shared/models/probe-card.ts';
import type { KeptCard } from '@shared/models/probe-card.ts';
import { readJsonFile, writeJsonFile } from '../../lib/files/json-file.ts';

const fileSchema = z.strictObject({
  version: z.literal(1),
  /** Digests of files outside the catalog, by path, size and time, because hashing gigabytes takes long. */
  hashes: z.record(z.string(), z.string()),
  cards: z.record(z.string(), keptCardSchema),
});
type Kept = z.infer<typeof fileSchema>;

/** Probe results, by the digest of the model's file, or by the model's name if its file is elsewhere. */
export interface ProbeCardStore {
  find(key: string): Promise<KeptCard | null>;
  keep(key: string, card: KeptCard): Promise<void>;
  /** `file` is path and stamp. Null: not hashed yet. */
  hashOf(file: string): Promise<string | null>;
  noteHash(file: string, digest: string): Promise<void>;
}

/** `path` is the JSON file of the cards. Only the core of the home writes it. A damaged file counts as empty. */
export function createProbeCardStore(path: string): ProbeCardStore {
  let known: Promise<Kept> | null = null;
  const all = (): Promise<Kept> => (known ??= readAll(path));
  const write = async (change: (kept: Kept) => Kept): Promise<void> => {
    const next = change(await all());
    known = Promise.resolve(next);
    await writeJsonFile(path, next);
  };
  return {
    find: async (key) => (await all()).cards[key] ?? null,
    keep: (key, card) => write((kept) => ({ ...kept, cards: { ...kept.cards, [key]: card } })),
    hashOf: async (file) => (await all()).hashes[file] ?? null,
    noteHash: (file, digest) => write((kept) => ({ ...kept, hashes: { ...kept.hashes, [file]: digest } })),
  };
}

async function readAll(path: string): Promise<Kept> {
  const file = await readJsonFile(path, (value) => fileSchema.parse(value));
  return file.type === 'value' ? file.value : { version: 1, hashes: {}, cards: {} };
}
