import { AppError } from '@shared/errors.ts';
import type { GitReport } from '@shared/git/git-report.ts';
import type { GitQuestion } from '@shared/contract/git-contract.ts';
import { lineOrigins } from '../lib/unified-diff.ts';
import { commitAuthor, isKnownAuthor, signsCommits } from '../sandbox/docker/user/commit-author.ts';
import type { Handlers } from '../server/handlers.ts';
import { diffFiles } from '../sessions/changes/file-diff.ts';
import type { Journal } from '../sessions/journal/journal.ts';
import { refuseAtWork } from '../sessions/open/refused-requests.ts';
import { makeCommit, planCommit, type CommitWish } from './commit-session.ts';
import { netChanges } from './net-changes.ts';
import { readAuthors, readDiff, readLog, showCommit } from './read-commits.ts';
import { readBranches } from './read-branches.ts';
import { readStatus } from './read-status.ts';
import { withRepository } from './repository.ts';

/** Handlers for a project's repository. */
export function createGitCommands({ sessions, now }: GitCommandsOptions): Handlers['git'] {
  const wishOf = async (input: CommitInput): Promise<CommitWish> => {
    refuseAtWork(sessions, input.sessionId);
    const journal = await sessions.journal(input.sessionId);
    const { projectPath, title } = journal.state();
    if (projectPath === null)
      throw new AppError('bad-input', 'The session has no project, so there is no repository to commit to.');
    const author = await commitAuthor();
    return {
      ...input,
      projectPath,
      title,
      changes: await netChanges(journal),
      read: (blob) => journal.getBlob(blob),
      author: isKnownAuthor(author) ? author : null,
      signs: await signsCommits(),
    };
  };
  return {
    read: ({ input, signal }) => readRepository(input, signal),
    planCommit: async ({ input, signal }) => planCommit(await wishOf(input), signal),
    commit: async ({ input, signal }) =>
      makeCommit(await wishOf(input), { approval: input.approval, now: new Date(now()), signal }),
  };
}

interface GitCommandsOptions {
  readonly sessions: WorkedSessions;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The sessions whose changes go into git. */
interface WorkedSessions {
  readonly journal: (sessionId: string) => Promise<WorkedJournal>;
  readonly openJournal: (sessionId: string) => WorkedJournal | null;
  readonly runner: (sessionId: string) => { readonly isRunning: () => boolean } | null;
}

type WorkedJournal = Pick<Journal, 'state' | 'read' | 'getBlob' | 'money'>;

interface CommitInput {
  readonly sessionId: string;
  readonly branch: string | null;
  readonly message: string | null;
}

function readRepository(
  { projectPath, ask }: { readonly projectPath: string; readonly ask: GitQuestion },
  signal: AbortSignal,
): Promise<GitReport> {
  return withRepository(projectPath, { signal }, async (repository): Promise<GitReport> => {
    switch (ask.type) {
      case 'status':
        return { type: 'status', ...(await readStatus(repository)) };
      case 'log':
        return readLog(repository, ask);
      case 'show':
        return showCommit(repository, ask.ref, diffFiles);
      case 'diff':
        return readDiff(repository, ask, diffFiles);
      case 'blame':
        return readAuthors(repository, ask, lineOrigins);
      case 'branches':
        return readBranches(repository);
      default:
        return ask satisfies never;
    }
  });
}
