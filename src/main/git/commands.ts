import { AppError } from '@shared/errors.ts';
import { isWithin } from '../lib/files/is-within.ts';
import { commitAuthor, isKnownAuthor, signsCommits } from '../sandbox/docker/user/commit-author.ts';
import type { Handlers } from '../server/handlers.ts';
import type { Journal } from '../sessions/journal/journal.ts';
import { refuseAtWork } from '../sessions/open/refused-requests.ts';
import { cloneProject } from './clone/clone-project.ts';
import type { HostingAccess } from './hosting-access.ts';
import { makeRequest, planRequest, readReview } from './request-session.ts';
import { readIssue } from './read-issue.ts';
import { pullProject } from './remote/pull-project.ts';
import { pushProject, showPush } from './remote/push-project.ts';
import { requestText } from './request-text.ts';
import { commitNotice, committedBranch, contentsOf, netChanges } from './net-changes.ts';
import { commitPlanSchema, madeCommitSchema, reportSchema } from './process/git-answer.ts';
import type { CommitWish } from './process/git-job.ts';
import type { RunGit } from './process/run-apart.ts';

/** Handlers for a project's repository. */
export function createGitCommands({
  sessions,
  now,
  hosting,
  exchangeForClones,
  keepToken,
  runGit: run,
}: GitCommandsOptions): Handlers['git'] {
  const workOf = async ({ sessionId }: { readonly sessionId: string }) => {
    refuseAtWork(sessions, sessionId);
    const journal = await sessions.journal(sessionId);
    const state = journal.state();
    return { journal, state, projectPath: projectOf(state) };
  };
  const note = async (sessionId: string, code: string, text: string): Promise<void> => {
    await (await sessions.journal(sessionId)).append({ type: 'notice-added', level: 'info', code, text });
  };
  const commitOf = async (input: CommitInput): Promise<CommitWish> => {
    const { journal, state, projectPath } = await workOf(input);
    const author = await commitAuthor();
    const changes = await netChanges(journal);
    return {
      sessionId: input.sessionId,
      branch: input.branch,
      known: await committedBranch(journal),
      message: input.message,
      projectPath,
      title: state.title,
      changes: [...changes],
      contents: await contentsOf(changes, journal),
      author: isKnownAuthor(author) ? author : null,
      signs: await signsCommits(),
    };
  };
  const requestOf = async <Input extends { readonly sessionId: string; readonly branch: string | null }>(
    input: Input,
  ) => {
    const { journal, state, projectPath } = await workOf(input);
    const branch = input.branch ?? (await committedBranch(journal));
    return { ...input, branch, projectPath, task: state.title, body: requestText(state, journal.money()) };
  };
  const forClones = { ...hosting, exchange: exchangeForClones };
  return {
    read: ({ input, signal }) => run({ type: 'ask', isBelow: true, ...input }, { schema: reportSchema, signal }),
    planCommit: async ({ input, signal }) =>
      run({ type: 'plan-commit', wish: await commitOf(input) }, { schema: commitPlanSchema, signal }),
    commit: async ({ input, signal }) => {
      const job = { type: 'commit', wish: await commitOf(input), approval: input.approval, at: now() } as const;
      const made = await run(job, { schema: madeCommitSchema, signal });
      await note(input.sessionId, 'commit-made', commitNotice(made));
      return made;
    },
    clone: async ({ input, signal }) => cloneProject(input, { access: forClones, run, signal }),
    pull: async ({ input, signal }) =>
      pullProject(input, { access: forClones, run, signal, refuseAtWork: refuseInPlace(sessions) }),
    planPush: ({ input, signal }) => showPush(input, { run, signal }),
    push: ({ input: { approval, ...wish }, signal }) => pushProject(wish, { approval, access: hosting, run, signal }),
    setToken: ({ input }) => keepToken(input.host.toLowerCase(), input.value.trim()),
    planRequest: async ({ input, signal }) => planRequest(await requestOf(input), { run, signal }),
    request: async ({ input, signal }) =>
      makeRequest(await requestOf(input), {
        approval: input.approval,
        access: hosting,
        run,
        signal,
        onDone: (code, text) => note(input.sessionId, code, text),
      }),
    issue: async ({ input, signal }) => readIssue(input, { access: hosting, run, signal }),
    review: async ({ input, signal }) => {
      const given = sentTexts((await workOf(input)).state);
      return readReview({ ...(await requestOf(input)), given }, { access: hosting, run, signal });
    },
  };
}

function projectOf({ projectPath }: ReturnType<WorkedJournal['state']>): string {
  if (projectPath !== null) return projectPath;
  throw new AppError('bad-input', 'The session has no project, so there is no repository to commit to.');
}

/** What models were told in the words of messages. */
const sentTexts = ({ messages }: ReturnType<WorkedJournal['state']>): readonly string[] =>
  messages.filter(({ isDropped }) => isDropped !== true).map(({ text }) => text);

/** Nothing changes files under an agent that works on them. */
const refuseInPlace =
  ({ workFolders }: WorkedSessions) =>
  (folder: string): void => {
    if (workFolders().some((work) => work !== null && (isWithin(work, folder) || isWithin(folder, work))))
      throw new AppError('conflict', 'An agent works in this folder just now. Nothing was changed.', {
        hint: 'Wait until its turn ends, or cancel it.',
      });
  };

interface GitCommandsOptions {
  readonly sessions: WorkedSessions;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly hosting: HostingAccess;
  /** Reads the longer answers that a clone needs. */
  readonly exchangeForClones: HostingAccess['exchange'];
  readonly keepToken: (host: string, token: string) => Promise<void>;
  readonly runGit: RunGit;
}

/** The sessions whose changes go into git. */
interface WorkedSessions {
  readonly journal: (sessionId: string) => Promise<WorkedJournal>;
  readonly openJournal: (sessionId: string) => WorkedJournal | null;
  readonly runner: (sessionId: string) => { readonly isRunning: () => boolean } | null;
  /** Where turns run now. */
  readonly workFolders: () => readonly (string | null)[];
}

type WorkedJournal = Pick<Journal, 'state' | 'read' | 'getBlob' | 'money' | 'append'>;

interface CommitInput {
  readonly sessionId: string;
  readonly branch: string | null;
  readonly message: string | null;
}
