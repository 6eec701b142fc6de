import { posix } from 'node:path';
import { AppError } from '@shared/errors.ts';
import type { CloneStep } from '@shared/git/clone-progress.ts';
import type { GitReport } from '@shared/git/git-report.ts';
import { lineOrigins } from '../../lib/unified-diff.ts';
import { diffFiles } from '../../sessions/changes/file-diff.ts';
import { cloneInto } from '../clone/clone-into.ts';
import { makeCommit, planCommit } from '../commit-session.ts';
import { chooseRemote, remoteAt } from '../hosting-address.ts';
import type { SendCall } from '../hosting-calls.ts';
import { checkOut, textsAt } from '../past/check-out.ts';
import { readPastChanges } from '../past/read-past-changes.ts';
import { prepareRequest } from '../prepare-request.ts';
import { pushBranch } from '../push-branch.ts';
import { readAuthors, readDiff, readLog, showCommit } from '../read-commits.ts';
import { readBranches, readPushRemotes, readRemotes } from '../read-branches.ts';
import { readStatus } from '../read-status.ts';
import { bringCommits } from '../remote/bring-commits.ts';
import { fastForward } from '../remote/fast-forward.ts';
import { findUpstream } from '../remote/find-upstream.ts';
import { planPush } from '../remote/plan-push.ts';
import { recoverPull } from '../remote/recover-pull.ts';
import { withRepository } from '../repository.ts';
import type { GitJob } from './git-job.ts';

const hostMs = 600_000;

interface JobTools {
  readonly signal: AbortSignal;
  readonly send: SendCall;
  readonly onProgress: (progress: CloneStep) => void;
}

/** Does one job with a repository. Only for repositories that are trusted to be read in this process. */
export async function doGitJob(job: GitJob, { signal, send, onProgress }: JobTools): Promise<unknown> {
  switch (job.type) {
    case 'ask':
      return readRepository(job, signal);
    case 'plan-commit':
      return planCommit(job.wish, signal);
    case 'commit':
      return makeCommit(job.wish, { approval: job.approval, now: new Date(job.at), signal });
    case 'plan-request':
      return withRepository(job.wish.projectPath, { signal, isBelow: true }, (repository) =>
        prepareRequest(repository, job.wish),
      );
    case 'address':
      return withRepository(job.projectPath, { signal, isBelow: job.isBelow }, async (repository) => {
        const remotes = await (job.isForPush ? readPushRemotes(repository) : readRemotes(repository));
        return job.at === null ? chooseRemote(remotes, job.remote) : remoteAt(remotes, job.at);
      });
    case 'push':
      return withRepository(
        job.projectPath,
        { signal, canWrite: true, isBelow: true, longestMs: hostMs },
        async (repository) => {
          await pushBranch(repository, { ...job, send });
          return null;
        },
      );
    case 'plan-push':
      return withRepository(job.projectPath, { signal, isBelow: true }, (repository) => planPush(repository, job));
    case 'upstream':
      return withRepository(job.projectPath, { signal, isBelow: true }, async (repository) => {
        const notes = await recoverPull(repository);
        return { upstream: await findUpstream(repository, job.remote), notes };
      });
    case 'bring':
      return withRepository(
        job.projectPath,
        { signal, canWrite: true, isBelow: true, longestMs: hostMs },
        (repository) => bringCommits(repository, job.upstream, { ...job, send, onProgress }),
      );
    case 'forward':
      return withRepository(
        job.projectPath,
        { signal, canWrite: true, isBelow: true, longestMs: hostMs },
        (repository) => fastForward(repository, job, { signal, onProgress }),
      );
    case 'past-changes':
      return withRepository(job.projectPath, { signal, isBelow: true }, (repository) =>
        readPastChanges(repository, job),
      );
    case 'check-out':
      return withRepository(job.projectPath, { signal, isBelow: true }, (repository) => checkOut(repository, job));
    case 'texts-at':
      return withRepository(job.projectPath, { signal, isBelow: true }, (repository) => textsAt(repository, job));
    case 'clone':
      return cloneInto(job, { signal, send, onProgress });
    default:
      return job satisfies never;
  }
}

function readRepository(
  { projectPath, isBelow, ask }: Extract<GitJob, { type: 'ask' }>,
  signal: AbortSignal,
): Promise<GitReport> {
  return withRepository(projectPath, { signal, isBelow }, async (repository): Promise<GitReport> => {
    const { prefix } = repository;
    switch (ask.type) {
      case 'status': {
        const status = await readStatus(repository);
        const entries = status.entries.map((entry) => ({ ...entry, path: posix.relative(prefix, entry.path) }));
        return { type: 'status', ...status, entries };
      }
      case 'log':
        return readLog(repository, { ...ask, path: fromTop(prefix, ask.path) });
      case 'show':
        return showCommit(repository, { ...ask, path: fromTop(prefix, ask.path) }, diffFiles);
      case 'diff':
        return readDiff(repository, { ...ask, path: fromTop(prefix, ask.path) }, diffFiles);
      case 'blame':
        return readAuthors(repository, { ...ask, path: fromTop(prefix, ask.path) ?? '.' }, lineOrigins);
      case 'branches':
        return readBranches(repository);
      default:
        return ask satisfies never;
    }
  });
}

/** A path as the user gives it, from the folder that was asked for. Left out: the whole repository. */
function fromTop(prefix: string, path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const whole = posix.join(prefix, path).replace(/\/$/u, '');
  if (whole === '..' || whole.startsWith('../'))
    throw new AppError('bad-input', `${path} is outside of the repository.`);
  return whole === '.' ? undefined : whole;
}
