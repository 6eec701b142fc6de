import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { programWriterSchema } from '@shared/tools/own-tool.ts';
import { AppError } from '@shared/errors.ts';
import type { WayBack } from '../../lib/async/all-or-none.ts';
import { readJsonFile, writeJsonFile } from '../../lib/files/json-file.ts';
import { isWithin } from '../../lib/files/is-within.ts';
import { byProjectKey } from '../../lib/files/project-key.ts';

const approvalSchema = z.object({ sha256: z.string(), text: z.string() });
const versionSchema = approvalSchema.extend({
  version: z.number(),
  keptAt: z.number(),
  sessionId: z.string(),
  /** Null, as for those kept before there was a tag: unknown. */
  writer: programWriterSchema.nullable().default(null),
});

/** Keyed by the absolute path of each file. */
const recordSchema = z.object({
  /** Since when a tool is in the list. Newer tools come later in it. */
  seenAt: z.record(z.string(), z.number()).default({}),
  usedAt: z.record(z.string(), z.number()).default({}),
  /** Only for projects: the approved bytes, whole, to show later what changed. */
  approved: z.record(z.string(), approvalSchema).default({}),
  /** Only for kept programs: the latest versions, oldest first. */
  versions: z.record(z.string(), z.array(versionSchema)).default({}),
});
export type OwnToolNotes = z.infer<typeof recordSchema>;

/** What is recorded of tools from files, beside the files themselves. */
export interface OwnToolRecord {
  /**
   * Reads the file each time, because another process may have added an approval. Rejects if the file cannot be read;
   * then nothing is approved.
   */
  readonly read: () => Promise<OwnToolNotes>;
  /** Makes one change at a time. */
  readonly change: (edit: (notes: OwnToolNotes) => OwnToolNotes) => Promise<void>;
}

export const nothingNoted: OwnToolNotes = { seenAt: {}, usedAt: {}, approved: {}, versions: {} };

export function createOwnToolRecord(path: string): OwnToolRecord {
  let last: Promise<unknown> = Promise.resolve();
  const read = async (): Promise<OwnToolNotes> => {
    const file = await readJsonFile(path, (value) => recordSchema.parse(value));
    if (file.type === 'value') return keyed(file.value, dirname(path));
    if (file.type === 'missing') return nothingNoted;
    throw new AppError('bad-input', `What is kept of your tools cannot be read: ${file.reason}`, {
      hint: `Remove ${path}, and approve tools of projects again.`,
    });
  };
  return {
    read,
    change: (edit) => {
      const work = last.then(async () => writeJsonFile(path, edit(await read())));
      // The caller gets the error, and the next change starts afresh.
      last = work.catch(() => undefined);
      return work;
    },
  };
}

/** With the tools of each project under its one key. The home is always called by the same name. */
async function keyed(notes: OwnToolNotes, home: string): Promise<OwnToolNotes> {
  const each = async <T>(record: Readonly<Record<string, T>>): Promise<Record<string, T>> => {
    const all = Object.entries(record);
    const own = all.filter(([path]) => isWithin(path, home));
    const others = all.filter(([path]) => !isWithin(path, home));
    return { ...(await byProjectKey(Object.fromEntries(others), (real) => real)), ...Object.fromEntries(own) };
  };
  return {
    seenAt: await each(notes.seenAt),
    usedAt: await each(notes.usedAt),
    approved: await each(notes.approved),
    versions: await each(notes.versions),
  };
}

/** The tool keeps its place in the list, so that the beginning of the prompt does not change. */
export async function keepApproval(
  record: OwnToolRecord,
  { path, sha256, text }: { readonly path: string; readonly sha256: string; readonly text: string },
): Promise<void> {
  await record.change((notes) => ({ ...notes, approved: { ...notes.approved, [path]: { sha256, text } } }));
}

/** Removes everything that is recorded of the file at this path. */
export async function forgetFile(record: OwnToolRecord, path: string): Promise<void> {
  await record.change(({ seenAt, usedAt, approved, versions }) => ({
    seenAt: without(seenAt, path),
    usedAt: without(usedAt, path),
    approved: without(approved, path),
    versions: without(versions, path),
  }));
}

/** The folder of a project lies elsewhere now. Its tools stay approved as long as their bytes are the approved ones. */
export async function moveFiles(record: OwnToolRecord, from: string, to: string): Promise<WayBack> {
  let earlier = nothingNoted;
  await record.change((notes) => {
    earlier = notes;
    const { seenAt, usedAt, approved, versions } = notes;
    const each = <T>(values: Readonly<Record<string, T>>): Record<string, T> => ({
      ...Object.fromEntries(
        below(values, from).map(([path, value]) => [join(to, relative(from, path)), value] as const),
      ),
      ...Object.fromEntries(Object.entries(values).filter(([path]) => !isWithin(path, from))),
    });
    return { seenAt: each(seenAt), usedAt: each(usedAt), approved: each(approved), versions: each(versions) };
  });
  const back = <T>(values: Readonly<Record<string, T>>, before: Readonly<Record<string, T>>): Record<string, T> => {
    const own = below(before, from);
    const came = new Set(own.map(([path]) => join(to, relative(from, path))).filter((path) => !(path in before)));
    return Object.fromEntries([...Object.entries(values).filter(([path]) => !came.has(path)), ...own]);
  };
  return () =>
    record.change(({ seenAt, usedAt, approved, versions }) => ({
      seenAt: back(seenAt, earlier.seenAt),
      usedAt: back(usedAt, earlier.usedAt),
      approved: back(approved, earlier.approved),
      versions: back(versions, earlier.versions),
    }));
}

function below<T>(values: Readonly<Record<string, T>>, folder: string): readonly (readonly [string, T])[] {
  return Object.entries(values).filter(([path]) => isWithin(path, folder));
}

function without<T>(values: Readonly<Record<string, T>>, key: string): Record<string, T> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => name !== key));
}
