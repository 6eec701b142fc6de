import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import { minForgetLength, type ForgetReport } from '@shared/projects/memory-line.ts';
import { readJsonFile, writeJsonFile } from '../../lib/files/json-file.ts';
import { abortable } from '../../lib/async/abort.ts';
import { tryLock } from '../../lib/files/file-lock.ts';
import type { Blobs } from '../blobs/blob-store.ts';
import { takeOutNamed } from '../blobs/unreferenced-blobs.ts';
import type { OpenSessions } from '../open/open-sessions.ts';
import type { SessionStore } from '../store/session-store.ts';
import { forgetInLog } from './forget-in-log.ts';

/** What is being forgotten, and not done yet. It is written before anything else, and removed at the end. */
const pendingSchema = z.strictObject({
  lines: z.array(z.strictObject({ id: z.string(), text: z.string() })),
  /** Blobs that no log needs any more, in capitals: nothing that looks for names of blobs takes them for one. */
  blobs: z.array(z.string()),
});
type Pending = z.infer<typeof pendingSchema>;

export interface ForgetOptions {
  readonly home: string;
  /** Those of the person, deleted ones, and those of other programs. */
  readonly stores: readonly Pick<SessionStore, 'logFiles'>[];
  readonly sessions: Pick<OpenSessions, 'openJournal' | 'close'>;
  readonly blobs: Blobs;
  /** Removes what searches are made from. */
  readonly dropIndex: () => Promise<void>;
  readonly now: () => number;
}

export interface ForgetEverywhere {
  /** Notes what is to be forgotten, so that a second run finishes what a crash cut off. */
  readonly begin: (line: { readonly id: string; readonly text: string }) => Promise<void>;
  /** Whether a line of this id is noted, though it is gone from the memory. */
  readonly isBegun: (id: string) => Promise<boolean>;
  /** Takes all that is noted out of every log. A session that works keeps its log for now, and the note stays. */
  readonly run: (signal: AbortSignal) => Promise<ForgetReport>;
}

export function createForgetEverywhere(options: ForgetOptions): ForgetEverywhere {
  const path = join(options.home, 'memory', 'forgetting.json');
  const read = async (): Promise<Pending> => {
    const found = await readJsonFile(path, (value) => pendingSchema.parse(value));
    if (found.type === 'value') return found.value;
    if (found.type === 'missing') return { lines: [], blobs: [] };
    throw new AppError('bad-input', `What is being forgotten cannot be read: ${found.reason}`, {
      hint: `Nothing was changed. Remove ${path}, then forget the line again.`,
    });
  };
  // One after the other, so that no note of a line is lost to a run that read the notes before it.
  let tail: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    const before = tail;
    const done = (signal === undefined ? before : abortable(before, signal)).then(work);
    tail = Promise.allSettled([before, done]);
    return done;
  };
  return {
    begin: ({ id, text }) =>
      inTurn(async () => {
        const { lines, blobs } = await read();
        await writeJsonFile(path, { lines: [...lines.filter((line) => line.id !== id), { id, text }], blobs });
      }),
    isBegun: async (id) => (await read()).lines.some((line) => line.id === id),
    run: (signal) =>
      abortable(
        inTurn(() => runNoted(options, { path, read }, signal)),
        signal,
      ),
  };
}

interface Notes {
  readonly path: string;
  readonly read: () => Promise<Pending>;
}

async function runNoted(options: ForgetOptions, { path, read }: Notes, signal: AbortSignal): Promise<ForgetReport> {
  signal.throwIfAborted();
  const pending = await read();
  const texts = pending.lines.map(({ text }) => text);
  const replaced = new Set(pending.blobs);
  const busy: string[] = [];
  let changed = 0;
  for (const store of options.stores) {
    for (const { sessionId, path: log } of await store.logFiles()) {
      signal.throwIfAborted();
      const onReplaced = async (names: readonly string[]): Promise<void> => {
        for (const name of names) replaced.add(name.toUpperCase());
        await writeJsonFile(path, { lines: (await read()).lines, blobs: [...replaced] });
      };
      const outcome = await forgetIn(options, { sessionId, log, texts, onReplaced });
      if (outcome === 'busy') busy.push(sessionId);
      else if (outcome) changed += 1;
    }
  }
  await options.dropIndex();
  await removeBlobs(options.home, replaced, signal);
  if (busy.length === 0) await dropNotes({ path, read }, new Set(pending.lines.map(({ id }) => id)), replaced);
  const isShort = texts.some((text) => text.length < minForgetLength);
  return { sessions: changed, busy, isTooShort: isShort };
}

/** Only what a run has read is done. */
async function dropNotes({ path, read }: Notes, ids: ReadonlySet<string>, removed: ReadonlySet<string>): Promise<void> {
  const { lines, blobs } = await read();
  const left = { lines: lines.filter(({ id }) => !ids.has(id)), blobs: blobs.filter((name) => !removed.has(name)) };
  if (left.lines.length === 0 && left.blobs.length === 0) rmSync(path, { force: true });
  else await writeJsonFile(path, left);
}

/** `busy`: the session works, here or in another process. */
async function forgetIn(
  { sessions, blobs, now }: ForgetOptions,
  log: {
    readonly sessionId: string;
    readonly log: string;
    readonly texts: readonly string[];
    readonly onReplaced: (names: readonly string[]) => Promise<void>;
  },
): Promise<boolean | 'busy'> {
  if (sessions.openJournal(log.sessionId) !== null) {
    try {
      await sessions.close(log.sessionId);
    } catch (error) {
      if (error instanceof AppError && error.code === 'conflict') return 'busy';
      throw error;
    }
  }
  const attempt = await tryLock(join(dirname(log.log), 'lock'));
  if (attempt.type !== 'taken') return 'busy';
  try {
    return await forgetInLog({ path: log.log, texts: log.texts, blobs, onReplaced: log.onReplaced, now });
  } finally {
    await attempt.lock.release();
  }
}

/** Removes the blobs that nothing of the home names any more. */
async function removeBlobs(home: string, names: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
  const unnamed = new Set([...names].map((name) => name.toLowerCase()));
  if (unnamed.size === 0) return;
  await takeOutNamed(home, unnamed, signal);
  for (const name of unnamed) rmSync(join(home, 'blobs', name), { force: true });
}
