import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { AppError, messageOf } from '@shared/errors.ts';
import type { RepositoryFiles, RepositoryPlaces } from './repository-files.ts';
import { createRepositoryFiles, gitFolder, treeFolder } from './repository-files.ts';
import { resolveGitLink } from '../lib/files/git-link.ts';
import { callModeFor, readFileBelow } from '../lib/files/host-folder.ts';
import { askDrive } from '../lib/files/served-drives.ts';

/** A project's repository, open for one piece of work. */
export interface Repository {
  readonly places: RepositoryPlaces;
  readonly files: RepositoryFiles;
  /** The folder that was asked for, from the top of the repository: `packages/app`. Empty: it is the top. */
  readonly prefix: string;
  /** What every call of the library is given. `cache` keeps packs in memory, so it ends with the work. */
  readonly git: {
    readonly fs: { readonly promises: RepositoryFiles };
    readonly dir: string;
    readonly gitdir: string;
    readonly cache: object;
  };
  /** Only a part of the history is here. */
  readonly isShallow: boolean;
  /** Some objects are elsewhere: in another repository on this machine, or only at the remote. Null: all are here. */
  readonly elsewhere: 'borrowed' | 'partial' | null;
}

/** Long enough for large histories, and short enough that nobody waits for a damaged one. */
const usualMs = 60_000;
const configBytes = 1024 * 1024;
const inSandbox = 'Ask the agent to run git in the sandbox, or run git yourself.';

/**
 * Opens the repository of a project for `work`, through a library that starts no program: no hook, filter, pager or
 * setting of the repository has any effect. What the library cannot read is an `AppError` that says why.
 */
export async function withRepository<T>(
  projectPath: string,
  how: RepositoryWork,
  work: (repository: Repository) => Promise<T>,
): Promise<T> {
  const open = async (left: AbortSignal): Promise<T> =>
    inRepository(projectPath, { ...how, signal: AbortSignal.any([how.signal, left]) }, work);
  return askDrive(projectPath, open, how);
}

interface RepositoryWork {
  readonly signal: AbortSignal;
  readonly canWrite?: boolean;
  /** It is being made, in a folder that nobody else uses. */
  readonly isNew?: boolean;
  /** A repository without a checkout, such as a mirror, will do, because only its history is read. */
  readonly mayBeBare?: boolean;
  /** The repository may be that of a folder above, as with git itself. */
  readonly isBelow?: boolean;
  readonly longestMs?: number;
}

async function inRepository<T>(
  projectPath: string,
  { signal, canWrite = false, isBelow = false, isNew = false, mayBeBare = false, longestMs = usualMs }: RepositoryWork,
  work: (repository: Repository) => Promise<T>,
): Promise<T> {
  const places = isBelow ? await findPlacesAbove(projectPath) : await findPlaces(projectPath, mayBeBare);
  const late = AbortSignal.timeout(longestMs);
  const files = createRepositoryFiles(places, { signal: AbortSignal.any([signal, late]), canWrite, isNew });
  const repository = { ...(await describe(places, files)), prefix: await prefixOf(places.tree, projectPath) };
  try {
    return await work(repository);
  } catch (error) {
    if (signal.aborted || error instanceof AppError) throw error;
    if (late.aborted)
      throw new AppError('timeout', `Reading the repository took longer than ${longestMs / 1000} s.`, {
        hint: `Narrow it to a path or to fewer commits. ${inSandbox}`,
      });
    throw explained(error, repository);
  }
}

/** Whether a folder has a repository of its own that Dewpoint can open. */
async function findPlaces(projectPath: string, mayBeBare = false): Promise<RepositoryPlaces> {
  const tree = await realpath(projectPath).catch(() => {
    throw new AppError('not-found', `The folder ${projectPath} was not found.`);
  });
  const calls = await callModeFor(tree);
  const found = await lstat(join(tree, '.git')).catch(() => null);
  if (found?.isDirectory() === true) return { tree, common: join(tree, '.git'), own: join(tree, '.git'), calls };
  if (found?.isFile() === true) {
    const link = await resolveGitLink(tree);
    const [common] = link?.folders ?? [];
    if (link !== null && common !== undefined) return { tree, common, own: link.own, calls };
    throw new AppError('refused', '.git points to a folder that does not point back, so it is not read.', {
      hint: 'Run `git worktree repair` in the main checkout.',
    });
  }
  if (found !== null) throw new AppError('refused', '.git is a link, and Dewpoint follows none there.');
  const isWithoutFiles = await isBare(tree);
  if (isWithoutFiles && mayBeBare) return { tree, common: tree, own: tree, calls };
  if (isWithoutFiles)
    throw new AppError('bad-input', `${tree} is a bare repository: it has no files to work on.`, {
      hint: 'Make a checkout of it: git clone REPOSITORY DIR',
    });
  throw new AppError('not-found', `${tree} is not a git repository.`, {
    hint: 'Use the folder that contains .git, or begin one with `git init`.',
  });
}

/** What git itself looks for. */
async function isBare(folder: string): Promise<boolean> {
  const kinds = await Promise.all(
    ['HEAD', 'objects', 'refs'].map((name) => lstat(join(folder, name)).catch(() => null)),
  );
  return kinds[0]?.isFile() === true && kinds[1]?.isDirectory() === true && kinds[2]?.isDirectory() === true;
}

async function findPlacesAbove(projectPath: string): Promise<RepositoryPlaces> {
  const start = await realpath(projectPath).catch(() => projectPath);
  for (let folder = start; dirname(folder) !== folder; folder = dirname(folder))
    if ((await lstat(join(folder, '.git')).catch(() => null)) !== null) return findPlaces(folder);
  return findPlaces(projectPath);
}

async function prefixOf(tree: string, projectPath: string): Promise<string> {
  return relative(tree, await realpath(projectPath)).replaceAll('\\', '/');
}

async function describe(places: RepositoryPlaces, files: RepositoryFiles): Promise<Omit<Repository, 'prefix'>> {
  const config = (await readFileBelow(places.common, ['config'], configBytes))?.toString() ?? '';
  const settings = config
    .toLowerCase()
    .split('\n')
    .map((line) => line.replaceAll(/[\s"]/gu, ''));
  const format = settings.find((line) => line.startsWith('objectformat='))?.slice('objectformat='.length) ?? 'sha1';
  if (format !== 'sha1') throw unreadable(`Its objects are named by ${format.slice(0, 20)}`);
  if (settings.includes('refstorage=reftable')) throw unreadable('Its branches are in a reftable');
  const has = async (...names: readonly string[]): Promise<boolean> =>
    ((await readFileBelow(places.common, names, configBytes))?.length ?? 0) > 0;
  const isBorrowing = await has('objects', 'info', 'alternates');
  const isPartial = settings.some((line) => /^(?:promisor|partialclone)=/u.test(line));
  return {
    places,
    files,
    git: { fs: { promises: files }, dir: treeFolder, gitdir: gitFolder, cache: {} },
    isShallow: await has('shallow'),
    elsewhere: isBorrowing ? 'borrowed' : isPartial ? 'partial' : null,
  };
}

function unreadable(why: string): AppError {
  return new AppError('bad-input', `${why}, which Dewpoint cannot read yet.`, { hint: inSandbox });
}

/** What the library's errors mean for this repository. */
function explained(error: unknown, { elsewhere, isShallow }: Repository): AppError {
  const message = messageOf(error);
  if (/\b(?:ENOSPC|EDQUOT)\b/u.test(message))
    return new AppError('disk-full', 'The disk is full. Your files are as they were.', {
      hint: 'Free some space, and try again.',
      cause: error,
    });
  if (/dircache version/u.test(message)) return unreadable('The index of the repository has a newer form');
  const isMissing = error instanceof Error && 'code' in error && error.code === 'NotFoundError';
  if (isMissing && elsewhere === 'borrowed')
    return new AppError(
      'not-found',
      'The repository borrows objects from another one, which Dewpoint does not follow.',
      {
        hint: 'Make it whole: git repack -a -d && rm .git/objects/info/alternates',
      },
    );
  if (isMissing && elsewhere === 'partial')
    return new AppError('not-found', 'This is a partial clone, and what you asked for is only at the remote.', {
      hint: 'Bring it: git fetch --refetch --filter=blob:none=false, or look at something newer.',
    });
  if (isMissing && isShallow)
    return new AppError('not-found', 'This is a shallow clone, and what you asked for is older than it reaches.', {
      hint: 'Bring the rest: git fetch --unshallow',
    });
  if (isMissing)
    return new AppError('not-found', `The repository has no ${missingName(message)}.`, {
      hint: 'If it should be there, see what is damaged: git fsck',
      cause: error,
    });
  return new AppError('bad-input', `The repository cannot be read: ${firstLine(message)}`, {
    hint: 'See what is damaged: git fsck',
    cause: error,
  });
}

const missingName = (message: string): string => /Could not find (.{1,100}?)\.?$/mu.exec(message)?.[1] ?? 'such object';

const firstLine = (text: string): string => text.split('\n', 1)[0]?.slice(0, 300) ?? '';
