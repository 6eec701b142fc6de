import { AppError } from '@shared/errors.ts';
import { commitAuthor, isKnownAuthor, signsCommits } from '../sandbox/docker/user/commit-author.ts';
import type { Handlers } from '../server/handlers.ts';
import type { Journal } from '../sessions/journal/journal.ts';
import { refuseAtWork } from '../sessions/open/refused-requests.ts';
import { makeCommit, planCommit, type CommitWish } from './commit-session.ts';
import { makeRequest, planRequest, readReview, type HostingAccess } from './request-session.ts';
import { requestText } from './request-text.ts';
import { netChanges } from './net-changes.ts';
import type { ReadRepository } from './process/read-apart.ts';

/** Handlers for a project's repository. */
export function createGitCommands({
  sessions,
  now,
  hosting,
  keepToken,
  readRepository,
}: GitCommandsOptions): Handlers['git'] {
  const workOf = async ({ sessionId }: { readonly sessionId: string }) => {
    refuseAtWork(sessions, sessionId);
    const journal = await sessions.journal(sessionId);
    const state = journal.state();
    if (state.projectPath === null)
      throw new AppError('bad-input', 'The session has no project, so there is no repository to commit to.');
    return { journal, state, projectPath: state.projectPath };
  };
  const commitOf = async (input: CommitInput): Promise<CommitWish> => {
    const { journal, state, projectPath } = await workOf(input);
    const author = await commitAuthor();
    return {
      ...input,
      projectPath,
      title: state.title,
      changes: await netChanges(journal),
      read: (blob) => journal.getBlob(blob),
      author: isKnownAuthor(author) ? author : null,
      signs: await signsCommits(),
    };
  };
  const requestOf = async <Input extends { readonly sessionId: string }>(input: Input) => {
    const { journal, state, projectPath } = await workOf(input);
    return { ...input, projectPath, task: state.title, body: requestText(state, journal.money()) };
  };
  return {
    read: ({ input, signal }) => readRepository(input, signal),
    planCommit: async ({ input, signal }) => planCommit(await commitOf(input), signal),
    commit: async ({ input, signal }) =>
      makeCommit(await commitOf(input), { approval: input.approval, now: new Date(now()), signal }),
    setToken: ({ input }) => keepToken(input.host.toLowerCase(), input.value.trim()),
    planRequest: async ({ input, signal }) => planRequest(await requestOf(input), signal),
    request: async ({ input, signal }) =>
      makeRequest(await requestOf(input), { approval: input.approval, access: hosting, signal }),
    review: async ({ input, signal }) => readReview(await requestOf(input), hosting, signal),
  };
}

interface GitCommandsOptions {
  readonly sessions: WorkedSessions;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly hosting: HostingAccess;
  readonly keepToken: (host: string, token: string) => Promise<void>;
  readonly readRepository: ReadRepository;
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
