import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { AppError } from '@shared/errors.ts';
import type { CloneProgress, CloneStep } from '@shared/git/clone-progress.ts';
import { progressStream } from '../../lib/async/push-queue.ts';
import { nameProblem } from '../../lib/files/host-folder.ts';
import { isMissing } from '../../lib/files/json-file.ts';
import { askDrive, silentFolderHint } from '../../lib/files/served-drives.ts';
import { isRunning } from '../../lib/files/lock-owner.ts';
import { orNoted } from '../../lib/log.ts';
import { receivingCalls, type HostingAccess } from '../hosting-access.ts';
import { madeCloneSchema } from '../process/git-answer.ts';
import type { RunGit } from '../process/run-apart.ts';
import { cloneAddress } from './clone-address.ts';

export interface CloneInput {
  readonly url: string;
  /** The whole path of the new folder. Its parent has to exist. */
  readonly folder: string;
  readonly branch: string | null;
  readonly depth: number | null;
}

/**
 * Brings a repository to a folder that is new or empty. Everything happens in a folder beside it, which takes its name
 * at the end: a clone that fails or is stopped leaves nothing. Only the typed host is called.
 */
export function cloneProject(
  input: CloneInput,
  { access, run, signal }: { readonly access: HostingAccess; readonly run: RunGit; readonly signal: AbortSignal },
): AsyncIterable<CloneProgress> {
  return progressStream<CloneProgress>(async (tell, stop) => {
    const address = cloneAddress(input.url);
    const { folder } = input;
    const beside = await onDriveOf(folder, async () => {
      await checkFree(folder);
      return makeFolderBeside(folder);
    });
    const onProgress = (progress: CloneStep): void => tell({ type: 'progress', ...progress });
    try {
      const { send, hasToken } = await receivingCalls(address, access, { signal: stop, onProgress });
      const { url, host } = address;
      const { branch, depth } = input;
      const job = { type: 'clone', folder: beside, url, host, branch, depth, hasToken } as const;
      const made = await run(job, { schema: madeCloneSchema, signal: stop, send, onProgress });
      stop.throwIfAborted();
      await onDriveOf(folder, (left) => moveIntoPlace(beside, folder, left));
      tell({ type: 'ended', clone: { ...made, folder, host } });
    } catch (error) {
      // What a silent drive keeps of it, the next clone there removes.
      await onDriveOf(folder, () => rm(beside, { recursive: true, force: true, maxRetries: 5 })).catch(
        orNoted('A folder of a clone was not removed', undefined),
      );
      throw toldFor(error);
    }
  }, signal);
}

/** Rejects with `timeout` if the drive of the new folder is silent. */
async function onDriveOf<T>(folder: string, work: (left: AbortSignal) => Promise<T>): Promise<T> {
  const above = dirname(folder);
  return askDrive(above, work, { kept: 'No project was added.' });
}

async function checkFree(folder: string): Promise<void> {
  const problem = isAbsolute(folder) ? nameProblem(basename(folder)) : 'it is not a whole path';
  if (problem !== null) throw new AppError('bad-input', `${folder} cannot be the folder of a clone: ${problem}.`);
  const above = await stat(dirname(folder)).catch(() => null);
  if (above?.isDirectory() !== true)
    throw new AppError('not-found', `The folder ${dirname(folder)} was not found.`, {
      hint: 'Make it first, or choose another.',
    });
  const found = await lstat(folder).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (found === null) return;
  if (!found.isDirectory() || (await readdir(folder)).length > 0) throw notEmpty(folder);
}

function notEmpty(folder: string): AppError {
  return new AppError('conflict', `${folder} is there and has something in it. Nothing was changed.`, {
    hint: 'Choose a folder that is new or empty.',
  });
}

const besideName = /^\.dewpoint-clone-(\d{1,9})-[\da-f]{12}$/u;

/** Also removes what a process that was killed in the middle of a clone left there. */
async function makeFolderBeside(folder: string): Promise<string> {
  const above = dirname(folder);
  for (const name of await readdir(above)) {
    const pid = besideName.exec(name)?.[1];
    if (pid === undefined || (await isRunning({ pid: Number(pid), startedAt: null, boot: null }))) continue;
    await rm(join(above, name), { recursive: true, force: true }).catch(() => undefined);
  }
  const beside = join(above, `.dewpoint-clone-${process.pid}-${randomBytes(6).toString('hex')}`);
  await mkdir(beside, { mode: 0o700 });
  return beside;
}

/** An empty folder that is there goes first. The system refuses one that got something meanwhile. */
async function moveIntoPlace(beside: string, folder: string, left: AbortSignal): Promise<void> {
  await chmod(beside, 0o777 & ~process.umask());
  try {
    await rmdir(folder).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
    // Nobody waits any more: the person was told that no project was added.
    left.throwIfAborted();
    await rename(beside, folder);
  } catch (error) {
    throw (await lstat(folder).catch(() => null)) === null ? error : notEmpty(folder);
  }
}

function toldFor(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  if (error.code === 'timeout' && error.hint !== silentFolderHint)
    return new AppError('timeout', 'The clone took longer than 10 minutes. Nothing was kept.', {
      hint: 'With --depth 1 it takes less. Or clone it with your own git, and open the folder.',
      cause: error,
    });
  const isByMachine = error.code === 'too-large' && /more than Dewpoint reads|too much memory/u.test(error.message);
  if (isByMachine)
    return new AppError('too-large', 'The repository is too large for Dewpoint to bring. Nothing was kept.', {
      hint: 'With --depth 1 it takes less. Or clone it with your own git, and open the folder.',
      cause: error,
    });
  return error;
}
