import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { packageEcosystems } from '@shared/projects/project-preparation.ts';
import { allOrNone, type WayBack } from '../../lib/async/all-or-none.ts';
import { isMissing, readJsonFile, writeJsonFile } from '../../lib/files/json-file.ts';

const recordSchema = z.object({
  version: z.literal(1),
  key: z.string().regex(/^[0-9a-f]{32}$/),
  ecosystem: z.enum(packageEcosystems),
  /** Relative to the project. Absent: the top. */
  folder: z.string().optional(),
  tool: z.string(),
  imageId: z.string(),
  /** The project's path when it was prepared. */
  projectPath: z.string(),
  at: z.number(),
  /**
   * Set if commands with network access have changed the installed packages. Such a state belongs to its project
   * only, and not to others with the same files. If the last command was allowed by a rule and not by the user, it
   * belongs only to its session.
   */
  changed: z
    .object({
      sessionId: z.string(),
      isForProject: z.boolean(),
      /**
       * The key of the project's files when the command had ended. If the files change, the state is outdated as any
       * other.
       */
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
    /** Why it could not be installed, with the end of the package manager's output. */
    z.object({ type: z.literal('failed'), command: z.string(), reason: z.string() }),
  ]),
});

/** The outcome for one part of a project. A volume without its own record is incomplete and is never mounted. */
export type DependencyRecord = z.infer<typeof recordSchema>;

export interface DependencyRecords {
  /** Null: never tried, or the record is damaged, which counts as the same. */
  readonly read: (key: string) => Promise<DependencyRecord | null>;
  readonly write: (record: DependencyRecord) => Promise<void>;
  readonly remove: (key: string) => Promise<void>;
  /** Newest first. */
  readonly list: () => Promise<readonly DependencyRecord[]>;
}

/** Keeps one small file for each record, below the home. Only the preparation of packages and `clean` write them. */
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
      // If records cannot be listed, this must not look as if there were none: cleaning would remove what they name.
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

/** The folder of a project lies elsewhere now, and its packages are still its own. Safe to repeat. */
export async function moveDependencies(homePath: string, from: string, to: string): Promise<WayBack> {
  const records = dependencyRecords(homePath);
  const own = (await records.list()).filter(({ projectPath }) => projectPath === from);
  return allOrNone(
    own.map((record) => async () => {
      await records.write({ ...record, projectPath: to });
      return () => records.write(record);
    }),
  );
}
