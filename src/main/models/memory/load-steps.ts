import { z } from 'zod';
import { loadSizeInWords } from './load-size.ts';
import { readJsonFile, writeJsonFile } from '../../lib/files/json-file.ts';
import { orNoted } from '../../lib/log.ts';

const sizeSchema = z.strictObject({
  grantedTokens: z.number().int().positive(),
  sequences: z.number().int().positive(),
  /** The most layers on cards. Null: as many as the engine finds room for. Absent: as planned. */
  gpuLayers: z.number().int().nonnegative().nullable().optional(),
});

const stepSchema = sizeSchema.extend({
  /** The size before, and when it was given up. */
  before: sizeSchema,
  at: z.number(),
});
/** A load that was made one step smaller, because the engine ran out of memory with the planned one. */
export type LoadStep = z.infer<typeof stepSchema>;

const fileSchema = z.strictObject({ version: z.literal(1), loads: z.record(z.string(), stepSchema) });

/** A clause for a sentence. `who` is the engine or the server. */
export function ranOutOfMemory({ before, at }: LoadStep, who: string): string {
  return `${who} ran out of memory with ${loadSizeInWords(before)} on ${new Date(at).toISOString().slice(0, 10)}`;
}

/** Loads that were made smaller, by model file, wish and machine. They survive restarts. */
export interface LoadSteps {
  find(key: string): Promise<LoadStep | null>;
  /** If the file cannot be written, the step is remembered while this process lives. */
  note(key: string, step: LoadStep): Promise<void>;
}

/** `path` is the JSON file of the steps. Only the core of the home writes it. */
export function createLoadSteps(path: string): LoadSteps {
  let loads: Promise<Map<string, LoadStep>> | null = null;
  const all = (): Promise<Map<string, LoadStep>> => (loads ??= readAll(path));
  return {
    find: async (key) => (await all()).get(key) ?? null,
    async note(key, step) {
      const known = await all();
      known.set(key, step);
      // The file only saves time, so a failure is ignored.
      await writeJsonFile(path, { version: 1, loads: Object.fromEntries(known) }).catch(
        orNoted('The times of loading were not saved', undefined),
      );
    },
  };
}

/** A damaged file counts as empty. Its facts are found out again by one more crash. */
async function readAll(path: string): Promise<Map<string, LoadStep>> {
  const file = await readJsonFile(path, (value) => fileSchema.parse(value));
  return new Map(file.type === 'value' ? Object.entries(file.value.loads) : []);
}
