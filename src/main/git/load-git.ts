import type { GitHead } from '@shared/git/git-report.ts';
import type { Repository } from './repository.ts';

/** Loads the library at its first use, because most commands need no git. */
export async function loadGit(): Promise<typeof import('isomorphic-git')> {
  return import('isomorphic-git');
}

/** Where HEAD is. */
export async function currentBranch({ git: access }: Repository): Promise<GitHead> {
  const git = await loadGit();
  const branch = (await git.currentBranch({ ...access, fullname: false })) ?? null;
  const commit = await git.resolveRef({ ...access, ref: 'HEAD' }).catch((error: unknown) => {
    // A branch without a commit is the usual start.
    if (error instanceof git.Errors.NotFoundError) return null;
    throw error;
  });
  return { branch, commit };
}
