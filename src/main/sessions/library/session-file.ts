import { z } from 'zod';
import type { BlobRef } from '@shared/events/blob-ref.ts';
import { blobRefSchema } from '@shared/events/blob-ref.ts';
import type { SessionEvent } from '@shared/events/events.ts';
import type { Blobs } from '../blobs/blob-store.ts';
import { blobsOf } from '../blobs/event-blobs.ts';
import { openPackedLog, writePackedLog, type PackedForm, type PackedLog } from './packed-log.ts';

const headerSchema = z.strictObject({
  sessionId: z.string().max(100),
  title: z.string(),
  appVersion: z.string(),
  exportedAt: z.number(),
  blobs: z.array(blobRefSchema).max(500_000),
});
type SessionFileHeader = z.infer<typeof headerSchema>;

/** A session in one file. */
const form: PackedForm<SessionFileHeader> = {
  name: 'dewpoint-session',
  version: 1,
  schema: headerSchema,
  noun: 'a session file',
  hint: 'Nothing was imported.',
};

interface WriteOptions {
  readonly path: string;
  readonly header: Omit<SessionFileHeader, 'blobs'>;
  /** Reads the log from its beginning. Called twice, because the blobs are listed first. */
  readonly read: () => AsyncIterable<SessionEvent>;
  readonly blobs: Pick<Blobs, 'get'>;
}

/** Writes the session completely or not at all. Leaves out blobs that are gone. Rejects with `disk-full` or `bad-input`. */
export async function writeSessionFile(
  { path, header, read, blobs }: WriteOptions,
  signal: AbortSignal,
): Promise<{ readonly blobs: number; readonly missing: number }> {
  const { present, missing } = await blobsOfLog(read(), blobs);
  await writePackedLog(form, { path, header: { ...header, blobs: present }, read, blobs }, signal);
  return { blobs: present.length, missing };
}

/** The blobs that a log names, each once, and how many of them are gone. */
export async function blobsOfLog(
  events: AsyncIterable<SessionEvent>,
  blobs: Pick<Blobs, 'get'>,
): Promise<{ readonly present: BlobRef[]; readonly missing: number }> {
  const named = new Map<string, BlobRef>();
  for await (const event of events) for (const ref of blobsOf(event)) named.set(ref.sha256, ref);
  const present: BlobRef[] = [];
  for (const ref of named.values()) if ((await blobs.get(ref)) !== null) present.push(ref);
  return { present, missing: named.size - present.length };
}

export function openSessionFile(path: string, signal: AbortSignal): Promise<PackedLog<SessionFileHeader>> {
  return openPackedLog(form, path, signal);
}
