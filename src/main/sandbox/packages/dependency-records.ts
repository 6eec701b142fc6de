import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isMissing, readJsonFile, writeJsonFile } from '../../lib/files/json-file.ts';

const recordSchema = z.object({
  version: z.literal(1),
  key: z.string().regex(/^[0-9a-f]{32}$/),
  ecosystem: z.enum(['python', 'javascript']),
  /** Of the project; absent: the top. */
  folder: z.string().optional(),
  tool: z.string(),
  imageId: z.string(),
  /** Where the project lay when it was prepared. */
  projectPath: z.string(),
  at: z.number(),
  /**
   * What these packages became by commands with a network, beside what was installed. Such a state belongs to its project
   * alone, never to another with the same files; and where nobody but a rule said yes to the last command, to its session.
   */
  changed: z
    .object({
      sessionId: z.string(),
      isForProject: z.boolean(),
      /** Key of the project's files when the command had ended: with other files it is outdated as any other. */
      filesKey: z.string(),
      commands: z
        .array(z.object({ command: z.string(), hosts: z.array(z.string()).readonly(), at: z.number() }))
        .readonly(),
    })
    .optional(),
  outcome: z.discriminatedUnion('type', [
    z.object({
      type: z.literal('ready'),
      volume: z.string().regex(/^dewpoint-deps-[0-9a-f-]+$/),
      sizeBytes: z.number().nullable(),
      packages: z.number().nullable(),
      seconds: z.number(),
      notes: z.array(z.string()).readonly(),
    }),
    /** Why it could not be installed, in words, with the end of what the package manager said. */
    z.object({ type: z.literal('failed'), command: z.string(), reason: z.string() }),
  ]),
});

/** What became of one part of a project. A volume without a record of its own is half made, and nobody mounts it. */
export type DependencyRecord = z.infer<typeof recordSchema>;

export interface DependencyRecords {
  /** Null: never tried, or the record is damaged, which is the same. */
  readonly read: (key: string) => Promise<DependencyRecord | null>;
  readonly write: (record: DependencyRecord) => Promise<void>;
  readonly remove: (key: string) => Promise<void>;
  /** The newest first. */
  readonly list: () => Promise<readonly DependencyRecord[]>;
}

/** One small file for each, below the home: its only writers are prepared parts and `clean`. */
export function dependencyRecords(homePath: string): DependencyRecords {
  const folder = join(homePath, 'dependencies');
  const fileOf = (key: string): string => join(folder, `${key}.json`);
  const read = async (key: string): Promise<DependencyRecord | null> => {
    const found = await readJsonFile(fileOf(key), (value) => recordSchema.parse(value));
    return found.type === 'value' && found.value.key === key ? found.value : null;
  };
  return {
    read,
    write: (record) => writeJsonFile(fileOf(record.key), record),
    remove: (key) => rm(fileOf(key), { force: true }),
    list: async () => {
      // Records that cannot be listed must not be taken for none: cleaning would remove what they name.
      const names = await readdir(folder).catch((error: unknown) => {
        if (isMissing(error)) return [];
        throw error;
      });
      const keys = names.flatMap((name) => /^([0-9a-f]{32})\.json$/.exec(name)?.[1] ?? []);
      const records = await Promise.all(keys.map(read));
      return records.filter((record) => record !== null).sort((left, right) => right.at - left.at);
    },
  };
}
