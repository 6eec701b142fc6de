import { constants } from 'node:fs';
import { type FileHandle, lchown, lstat, open, stat } from 'node:fs/promises';
import { AppError, messageOf } from '@shared/errors.ts';
import { callFile, callFolder } from '@shared/sandbox/call-file.ts';
import { type HostFolder, openChildFolder, openForReading, openHostFolder } from '../../lib/files/host-folder.ts';
import { errorCodeOf, isMissing, makeFolder, writeProblem } from '../../lib/files/json-file.ts';
import { askDrive } from '../../lib/files/served-drives.ts';
import { orNoted } from '../../lib/log.ts';
import type { JournalPush } from '../journal/journal-subscriber.ts';
import type { LiveJournal } from '../journal/live-journal.ts';
import { callAsLine, followCalls } from '../library/readable/follow-calls.ts';

/**
 * Writes the calls of a session into its workspace as they end: the lines of an export, from the first call on. So what a
 * stop cut off is made up for, and a file with anything else in it is not ours.
 */
export interface SavedCalls {
  /** Begins, or goes on. Only with a sandbox that hides the folder. Never rejects: the log says what did not work. */
  readonly follow: () => void;
}

type Journal = Pick<LiveJournal, 'sessionId' | 'state' | 'subscribe' | 'getBlob' | 'append'>;

export function createSavedCalls(journal: Journal): SavedCalls {
  let end: (() => void) | null = null;
  const stop = (): void => {
    end?.();
    end = null;
  };
  const follow = (): void => {
    if (end !== null) return;
    const calls = followCalls();
    let file: GrowingFile | null = null;
    const take = async (push: JournalPush): Promise<void> => {
      if (push.type === 'transient') return;
      if (push.type === 'snapshot') {
        stop();
        follow();
        return;
      }
      const call = calls.take(push.event);
      if (call === null) return;
      const { organized, workspace } = journal.state();
      if (organized?.savesCalls !== true || workspace === null) {
        stop();
        return;
      }
      const line = await callAsLine(call, journal.getBlob);
      file ??= await openGrowing(workspace.path, callFile(journal.sessionId));
      await file.add(Buffer.from(line));
    };
    end = journal.subscribe(1, (push) =>
      take(push).catch(async (error: unknown) => {
        stop();
        const why = error instanceof AppError ? messageOf(error) : `${writeProblem(error)}.`;
        const text = `Tool calls are no longer written to ${callFile(journal.sessionId)}: ${why} The session itself has all of them. The next message tries again.`;
        await journal
          .append({ type: 'notice-added', level: 'warning', code: 'calls-not-saved', text })
          .catch(orNoted('It was not noted that calls are not saved', undefined));
      }),
    );
  };
  return { follow };
}

interface GrowingFile {
  readonly add: (line: Buffer) => Promise<void>;
}

/** A longer file is not gone on with. */
const mostBytes = 256 * 1024 * 1024;

async function openGrowing(root: string, path: string): Promise<GrowingFile> {
  const name = path.slice(callFolder.length + 1);
  // What is there must be the first lines again. Null: there is no file yet.
  let rest = await inCallFolder(root, (folder) => readOwn(folder, name));
  let size = rest?.length ?? null;
  return {
    add: async (line) => {
      let left = line;
      if (rest !== null && rest.length > 0) {
        const known = Math.min(rest.length, line.length);
        if (Buffer.compare(rest.subarray(0, known), line.subarray(0, known)) !== 0) throw notOurs();
        rest = rest.subarray(known);
        left = line.subarray(known);
      }
      if (left.length === 0) return;
      await inCallFolder(root, (folder) => append(folder, name, { bytes: left, size }));
      size = (size ?? 0) + left.length;
    },
  };
}

function notOurs(): AppError {
  return new AppError('conflict', 'this file was changed or made by somebody else. It was left as it is.');
}

async function readOwn(folder: HostFolder, name: string): Promise<Buffer | null> {
  const handle = await openForReading(folder, name).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (handle === null) return null;
  try {
    const found = await handle.stat();
    if (!found.isFile() || found.nlink > 1 || found.size > mostBytes) throw notOurs();
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** `size`: what the file must have; null: it must not exist. */
async function append(
  folder: HostFolder,
  name: string,
  { bytes, size }: { readonly bytes: Buffer; readonly size: number | null },
): Promise<void> {
  const place = folder.at(name);
  // Systems without the flag have only this look.
  if (size !== null && !(await lstat(place)).isFile()) throw notOurs();
  const isNew = size === null ? constants.O_CREAT | constants.O_EXCL : 0;
  const handle = await open(
    place,
    constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0) | isNew,
    0o600,
  );
  try {
    const found = await handle.stat();
    if (!found.isFile() || found.nlink > 1 || found.size !== (size ?? 0)) throw notOurs();
    if (size === null) await giveToOwner(folder, handle);
    await handle.writeFile(bytes);
  } finally {
    await handle.close();
  }
}

/**
 * Makes the folder, if the session saves its calls, so that its sandbox hides it from the start. Never rejects: what is
 * wrong there is said at the first call.
 */
export async function readyCallFolder(journal: Pick<Journal, 'state'>): Promise<void> {
  const { organized, workspace } = journal.state();
  if (organized?.savesCalls === true && workspace !== null)
    await makeCallFolder(workspace.path).catch(orNoted('The folder of calls was not made', undefined));
}

/** Git ignores all in it. */
async function makeCallFolder(root: string): Promise<void> {
  await inCallFolder(root, async (folder) => {
    const handle = await open(folder.at('.gitignore'), 'wx', 0o666).catch((error: unknown) => {
      if (errorCodeOf(error) === 'EEXIST') return null;
      throw error;
    });
    if (handle === null) return;
    try {
      await giveToOwner(folder, handle);
      await handle.writeFile('*\n');
    } finally {
      await handle.close();
    }
  });
}

function inCallFolder<T>(root: string, work: (folder: HostFolder) => Promise<T>): Promise<T> {
  return askDrive(root, () => onDrive(root, work));
}

async function onDrive<T>(root: string, work: (folder: HostFolder) => Promise<T>): Promise<T> {
  let folder = await openHostFolder(root);
  try {
    for (const name of callFolder.split('/')) {
      const next = await openChildFolder(folder, name).catch(async (error: unknown) => {
        if (!isMissing(error)) throw isLink(error) ? leadsElsewhere(name) : error;
        await makeFolder(folder.at(name), 0o777);
        await giveToOwner(folder, folder.at(name));
        return openChildFolder(folder, name);
      });
      await folder.close();
      folder = next;
    }
    return await work(folder);
  } catch (error) {
    throw isLink(error) ? leadsElsewhere(callFolder) : error;
  } finally {
    await folder.close();
  }
}

function isLink(error: unknown): boolean {
  return ['ELOOP', 'ENOTDIR'].includes(errorCodeOf(error) ?? '');
}

function leadsElsewhere(name: string): AppError {
  return new AppError('refused', `${name} is a link or no folder.`);
}

/** What the superuser makes belongs to whom the folder belongs. */
async function giveToOwner(folder: HostFolder, made: FileHandle | string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder.place);
  if (typeof made === 'string') await lchown(made, uid, gid);
  else await made.chown(uid, gid);
}
