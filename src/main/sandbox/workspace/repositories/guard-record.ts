import { lstatSync } from 'node:fs';
import { lstat, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isMissing, readJsonFile, writeFileAtomic } from '../../../lib/files/json-file.ts';
import { allOrNone, nothingToUndo, type WayBack } from '../../../lib/async/all-or-none.ts';
import { isRunning, thisProcess } from '../../../lib/files/lock-owner.ts';
import { sha256Of } from '../../../lib/sha256.ts';
import { orNoted } from '../../../lib/log.ts';

/**
 * What a workspace contained when a session began on it. It is kept until the session has ended and made its last
 * check. A session that was killed leaves its record. So what its commands made is not mistaken for the user's own
 * later.
 */
const recordSchema = z.object({
  workspacePath: z.string(),
  owner: z.object({ pid: z.number(), startedAt: z.string().nullable(), boot: z.string().nullable() }),
  startedMs: z.number(),
  /** When the session ended without having seen everything. */
  endedMs: z.number().optional(),
  /** Paths of repositories and of `.git` files, in the form of `folder-names.ts`. */
  own: z.array(z.string()),
});

type GuardRecord = z.infer<typeof recordSchema>;

/** The record of an earlier session, or of one that runs at the same time. */
export interface EarlierRecord {
  readonly own: ReadonlySet<string>;
  readonly startedMs: number;
  /** No command of that session ran after this. Null: it still runs. */
  readonly endedMs: number | null;
  readonly file: string;
}

/** The longest time between the last sign of life of a killed session and the end of its container. */
const graceMs = 15_000;
const touchEveryMs = 1_000;

export function recordFolder(homePath: string, workspacePath: string): string {
  const name = sha256Of(workspacePath).slice(0, 24);
  return join(homePath, 'sandbox', 'repositories', name);
}

/**
 * The folder of a project lies elsewhere now. What a killed session left there is no more the user's own than before.
 * Safe to repeat.
 */
export async function moveGuardRecords(homePath: string, from: string, to: string): Promise<WayBack> {
  const [old, next] = [recordFolder(homePath, from), recordFolder(homePath, to)];
  const names = await readdir(old).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const move = async (name: string): Promise<WayBack> => {
    const file = join(old, name);
    const read = await readJsonFile(file, (value) => recordSchema.parse(value));
    if (read.type !== 'value') return nothingToUndo;
    const { mtime } = await lstat(file);
    const moved: GuardRecord = { ...read.value, workspacePath: to };
    // In a copy, such as on another disk, all files are new. So none of them says when it was made.
    const isCopy = await stat(to).then(({ birthtimeMs }) => birthtimeMs > mtime.getTime() + graceMs, isMissing);
    if (isCopy) moved.endedMs = Date.now();
    const place = join(next, name);
    await replace(place, { record: moved, mtime, gone: file });
    return () => replace(file, { record: read.value, mtime, gone: place });
  };
  return allOrNone(names.filter((one) => one.endsWith('.json')).map((name) => () => move(name)));
}

async function replace(
  place: string,
  { record, mtime, gone }: { readonly record: GuardRecord; readonly mtime: Date; readonly gone: string },
): Promise<void> {
  await writeFileAtomic(place, JSON.stringify(record));
  // Its time is the last sign of life.
  await utimes(place, mtime, mtime);
  await rm(gone, { force: true });
}

/** Oldest first. A record that cannot be read is ignored and left. */
export async function earlierRecords(folder: string): Promise<readonly EarlierRecord[]> {
  const found: EarlierRecord[] = [];
  for (const name of await readdir(folder).catch(orNoted('sandbox: the records of guards were not read', []))) {
    if (!name.endsWith('.json')) continue;
    const file = join(folder, name);
    const read = await readJsonFile(file, (value) => recordSchema.parse(value));
    if (read.type !== 'value') continue;
    const { owner, own, startedMs } = read.value;
    const touched = lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? startedMs;
    const endedMs = read.value.endedMs ?? ((await isRunning(owner)) ? null : touched + graceMs);
    found.push({ own: new Set(own), startedMs, endedMs, file });
  }
  return found.sort((left, right) => left.startedMs - right.startedMs);
}

export class OwnRecord {
  readonly #file: string;
  readonly #record: GuardRecord;
  #touchedMs = 0;

  private constructor(file: string, record: GuardRecord) {
    this.#file = file;
    this.#record = record;
  }

  static async write(
    folder: string,
    {
      sessionId,
      workspacePath,
      own,
    }: { readonly sessionId: string; readonly workspacePath: string; readonly own: readonly string[] },
  ): Promise<OwnRecord> {
    const file = join(folder, `${sessionId.replaceAll(/[^A-Za-z0-9_.-]/g, '_').slice(-80)}-${process.pid}.json`);
    const record: GuardRecord = { workspacePath, owner: await thisProcess(), startedMs: Date.now(), own: [...own] };
    await writeFileAtomic(file, JSON.stringify(record), { sync: false });
    return new OwnRecord(file, record);
  }

  /** Records a sign of life: commands may have run until now. */
  async touch(): Promise<void> {
    const now = new Date();
    if (now.getTime() - this.#touchedMs < touchEveryMs) return;
    this.#touchedMs = now.getTime();
    // The user may have removed the record. Then only the protection after a kill is lost.
    await utimes(this.#file, now, now).catch(orNoted('sandbox: the record of a guard was not kept fresh', undefined));
  }

  /** Keeps the record for the next session, because the last check could not see everything. */
  async end(): Promise<void> {
    await writeFileAtomic(this.#file, JSON.stringify({ ...this.#record, endedMs: Date.now() }));
  }

  async remove(): Promise<void> {
    await rm(this.#file, { force: true });
  }
}
