import { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import { readJsonFile, writeJsonFile } from '../../lib/files/json-file.ts';

const approvalSchema = z.object({ sha256: z.string(), text: z.string() });
const versionSchema = approvalSchema.extend({ version: z.number(), keptAt: z.number(), sessionId: z.string() });

/** By the whole path of each file. */
const recordSchema = z.object({
  /** Since when it stands among the tools: what comes later stands behind. */
  seenAt: z.record(z.string(), z.number()).default({}),
  usedAt: z.record(z.string(), z.number()).default({}),
  /** Of projects: the bytes that somebody said yes to, whole, to show what is different later. */
  approved: z.record(z.string(), approvalSchema).default({}),
  /** Of programs that were kept: the latest versions, the oldest first. */
  versions: z.record(z.string(), z.array(versionSchema)).default({}),
});
export type OwnToolNotes = z.infer<typeof recordSchema>;

/** What is kept of tools from files, beside the files themselves. */
export interface OwnToolRecord {
  /** Read anew each time, for another program may have said yes. Rejects for a file that cannot be read: it approves nothing. */
  readonly read: () => Promise<OwnToolNotes>;
  /** Makes one change at a time. */
  readonly change: (edit: (notes: OwnToolNotes) => OwnToolNotes) => Promise<void>;
}

export const nothingNoted: OwnToolNotes = { seenAt: {}, usedAt: {}, approved: {}, versions: {} };

export function createOwnToolRecord(path: string): OwnToolRecord {
  let last: Promise<unknown> = Promise.resolve();
  const read = async (): Promise<OwnToolNotes> => {
    const file = await readJsonFile(path, (value) => recordSchema.parse(value));
    if (file.type === 'value') return file.value;
    if (file.type === 'missing') return nothingNoted;
    throw new AppError('bad-input', `What is kept of your tools cannot be read: ${file.reason}`, {
      hint: `Remove ${path}, and approve tools of projects again.`,
    });
  };
  return {
    read,
    change: (edit) => {
      const work = last.then(async () => writeJsonFile(path, edit(await read())));
      // Who asked for it gets its error; the next one starts anew.
      last = work.catch(() => undefined);
      return work;
    },
  };
}

/** Where it stands among the tools is kept: the beginning of a prompt stays as it was. */
export async function keepApproval(
  record: OwnToolRecord,
  { path, sha256, text }: { readonly path: string; readonly sha256: string; readonly text: string },
): Promise<void> {
  await record.change((notes) => ({ ...notes, approved: { ...notes.approved, [path]: { sha256, text } } }));
}

/** All that is kept of the file at this path. */
export async function forgetFile(record: OwnToolRecord, path: string): Promise<void> {
  await record.change(({ seenAt, usedAt, approved, versions }) => ({
    seenAt: without(seenAt, path),
    usedAt: without(usedAt, path),
    approved: without(approved, path),
    versions: without(versions, path),
  }));
}

function without<T>(values: Readonly<Record<string, T>>, key: string): Record<string, T> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => name !== key));
}
