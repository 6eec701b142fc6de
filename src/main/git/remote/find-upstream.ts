import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { AppError } from '@shared/errors.ts';
import type { z } from 'zod';
import { readFileBelow } from '../../lib/files/host-folder.ts';
import { chooseRemote } from '../hosting-address.ts';
import { currentBranch, loadGit } from '../load-git.ts';
import type { upstreamPlace } from '../process/git-job.ts';
import { readRemotes } from '../read-branches.ts';
import { readIndex } from '../read-index.ts';
import { halfDoneWork } from '../read-status.ts';
import type { Repository } from '../repository.ts';

/** Where a pull of the checked out branch takes its commits from. */
export type Upstream = z.output<typeof upstreamPlace>;

const unchanged = 'Nothing was changed.';
const withOwnGit = 'Pull with your own git: git pull';

/** Finds it, or says in a sentence why this checkout cannot be brought up to date. */
export async function findUpstream(repository: Repository, named: string | null): Promise<Upstream> {
  const { files, places } = repository;
  await refuseOddCheckout(repository);
  const [halfDone] = await halfDoneWork(files);
  if (halfDone !== undefined)
    throw new AppError('conflict', `Git is in the middle of ${halfDone}. ${unchanged}`, { hint: 'End it first.' });
  const { branch, commit } = await currentBranch(repository);
  if (branch === null)
    throw new AppError('bad-input', `HEAD is detached, so there is no branch to bring up to date. ${unchanged}`, {
      hint: 'Choose a branch first: git switch BRANCH',
    });
  if (commit === null)
    throw new AppError('bad-input', `The branch ${branch} has no commits yet, so nothing can follow them.`, {
      hint: 'Bring the repository into a new folder: dewpoint projects clone URL',
    });
  const remotes = await readRemotes(repository);
  const followed = await followedBranch(repository, branch);
  if (followed === null && named === null && remotes.length > 0)
    throw new AppError('bad-input', `The branch ${branch} follows no branch of a remote. ${unchanged}`, {
      hint: `Name the remote that has it: --remote ${remotes[0]?.name ?? 'origin'}`,
    });
  if (followed?.remote === '.' && named === null)
    throw new AppError('bad-input', `The branch ${branch} follows another branch of yours. ${unchanged}`, {
      hint: withOwnGit,
    });
  const address = chooseRemote(remotes, named ?? followed?.remote ?? null);
  const theirs = followed !== null && followed.remote === address.remote ? followed.branch : branch;
  return { folder: places.tree, branch, commit, theirs, isShallow: repository.isShallow, address };
}

/** What `git branch --set-upstream-to` notes. Null: nothing. */
export async function followedBranch(
  { git: access }: Repository,
  branch: string,
): Promise<{ readonly remote: string; readonly branch: string } | null> {
  const git = await loadGit();
  const remote: unknown = await git.getConfig({ ...access, path: `branch.${branch}.remote` });
  const merge: unknown = await git.getConfig({ ...access, path: `branch.${branch}.merge` });
  if (typeof remote !== 'string' || typeof merge !== 'string') return null;
  const name = /^refs\/heads\/(.+)$/u.exec(merge)?.[1];
  return name === undefined ? null : { remote, branch: name };
}

/** Checkouts in which not every file is where the commit has it. */
async function refuseOddCheckout({ git: access, files, places }: Repository): Promise<void> {
  const git = await loadGit();
  const isSet = async (path: string): Promise<boolean> => {
    const value: unknown = await git.getConfig({ ...access, path });
    return value === true || (typeof value === 'string' && /^(?:true|yes|on|1)$/iu.test(value));
  };
  if (await isSet('core.bare'))
    throw new AppError('bad-input', 'This repository is bare: it has no files of its own to bring up to date.', {
      hint: 'Clone it: git clone REPOSITORY DIR',
    });
  const elsewhere: unknown = await git.getConfig({ ...access, path: 'core.worktree' });
  // A submodule names its own folder there.
  if (elsewhere !== undefined && !(typeof elsewhere === 'string' && (await isSamePlace(places, elsewhere))))
    throw new AppError('refused', `The files of this repository are in another folder. ${unchanged}`, {
      hint: withOwnGit,
    });
  const bytes = await files.readFile('/git/index').catch(() => null);
  const { conflicts, leftOut } = Buffer.isBuffer(bytes)
    ? readIndex(bytes)
    : { conflicts: new Set<string>(), leftOut: new Set<string>() };
  const [first] = conflicts;
  if (first !== undefined)
    throw new AppError('conflict', `${first} is in conflict. ${unchanged}`, { hint: 'Resolve it, and commit.' });
  if (leftOut.size > 0 || (await isSet('core.sparsecheckout')) || (await isSparseHere(places)))
    throw new AppError('refused', `A sparse checkout leaves files out, which Dewpoint cannot bring. ${unchanged}`, {
      hint: withOwnGit,
    });
}

async function isSamePlace({ own, tree }: Repository['places'], named: string): Promise<boolean> {
  return realpath(resolve(own, named)).then(
    (place) => place === tree,
    () => false,
  );
}

const settingsBytes = 1024 * 1024;

/** Git notes it in settings of this one worktree. */
async function isSparseHere({ own }: Repository['places']): Promise<boolean> {
  const settings = (await readFileBelow(own, ['config.worktree'], settingsBytes))?.toString().toLowerCase() ?? '';
  return settings.split('\n').some((line) => /^sparsecheckout=(?:true|yes|on|1)$/u.test(line.replaceAll(/\s/gu, '')));
}
