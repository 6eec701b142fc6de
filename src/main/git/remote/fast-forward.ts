import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@shared/errors.ts';
import type { CloneStep } from '@shared/git/clone-progress.ts';
import { fileCalls } from '../../lib/files/file-calls.ts';
import { lookAtChanges } from '../clone/look-at-tree.ts';
import { loadGit } from '../load-git.ts';
import { withManyReads } from '../many-reads.ts';
import type { Repository } from '../repository.ts';
import { moveBranch } from '../repository-files.ts';
import { findUpstream } from './find-upstream.ts';
import { placeFiles } from './place-files.ts';
import { planFiles, type Blocker } from './plan-files.ts';

interface ForwardWish {
  readonly branch: string;
  readonly from: string;
  readonly to: string;
  readonly remote: string;
}

interface ForwardTools {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: CloneStep) => void;
}

const shownBlockers = 5;

/**
 * Brings the checkout from one commit to a later one: files, then the index, then the branch. Nothing begins while a file
 * of the person is in the way. What fails in the middle is taken back. `recover-pull.ts` takes back what one that was killed placed.
 */
export async function fastForward(
  repository: Repository,
  { branch, from, to, remote }: ForwardWish,
  { signal, onProgress }: ForwardTools,
): Promise<{ readonly files: number; readonly notes: readonly string[] }> {
  const now = await findUpstream(repository, remote);
  if (now.branch !== branch || now.commit !== from)
    throw new AppError('conflict', `The checkout changed meanwhile. Your files are as they were.`, {
      hint: 'Pull again.',
    });
  const git = await loadGit();
  const treeOf = async (oid: string): Promise<string> => (await git.readCommit({ ...repository.git, oid })).commit.tree;
  const { tree } = repository.places;
  const calls = fileCalls(repository.places.calls);
  const isCaseBlind = await isThere(join(tree, '.GIT'));
  const trees = { from: await treeOf(from), to: await treeOf(to) };
  const changes = await lookAtChanges(withManyReads(repository), trees, { isCaseBlind });
  const hasLinks = await isOn(repository, 'core.symlinks', process.platform !== 'win32');
  const hasModes = await isOn(repository, 'core.filemode', process.platform !== 'win32');
  const index = await readWholeIndex(repository);
  const { planned, blockers } = await planFiles(tree, changes, { index, isCaseBlind, hasLinks, hasModes, calls });
  if (blockers.length > 0) throw inTheWay(blockers);
  const notes = await placeFiles(repository, planned, {
    index,
    calls,
    hasLinks,
    commits: { from, to },
    onWritten: (done, total) => onProgress({ step: 'write', done, total }),
    moveBranch: () => moveBranch(repository.places, { branch, from, to }, signal),
  });
  return { files: planned.length, notes };
}

/** A checkout without an index has no files yet that git knows. */
async function readWholeIndex({ files }: Repository): Promise<Buffer> {
  const bytes = await files.readFile('/git/index').catch(() => null);
  if (Buffer.isBuffer(bytes)) return bytes;
  throw new AppError('bad-input', 'This checkout has no index. Nothing was changed.', {
    hint: 'Write it anew: git reset',
  });
}

async function isOn({ git: access }: Repository, path: string, usual: boolean): Promise<boolean> {
  const git = await loadGit();
  const value: unknown = await git.getConfig({ ...access, path });
  if (value === undefined) return usual;
  return value === true || (typeof value === 'string' && /^(?:true|yes|on|1)$/iu.test(value));
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

function inTheWay(blockers: readonly Blocker[]): AppError {
  const shown = blockers.slice(0, shownBlockers).map(({ path, why }) => `${path} (${why})`);
  const more = blockers.length > shownBlockers ? `, and ${blockers.length - shownBlockers} more` : '';
  const isByGit = blockers.every(({ why }) => why === 'git keeps it in another form here');
  return new AppError(
    'conflict',
    `The pull would change files that are not as their commit has them: ${shown.join(', ')}${more}. Your files are as they were.`,
    {
      hint: isByGit
        ? 'Line ends or a filter such as Git LFS are at work. Pull with your own git: git pull'
        : 'Commit, stash or move them, and pull again.',
    },
  );
}
