import { AppError } from '../../src/shared/errors.ts';
import type { ReviewComment } from '../../src/shared/git/request-plan.ts';
import type { SomeHandlers } from './fake-handlers.ts';
import type { Note } from './page-settings.ts';

/** A repository at example.org that takes every commit. */
export function gitHandlers(
  core: { readonly comments: readonly ReviewComment[] },
  note: Note,
): NonNullable<SomeHandlers['git']> {
  const commit = '3f1c9d2e8a4b5c6d7e8f90a1b2c3d4e5f6a7b8c9';
  const url = 'https://example.org/ada/app/pulls/7';
  const branchOf = (branch: string | null): string => branch ?? 'dewpoint/fix-the-date';
  return {
    planCommit: ({ input: { branch, message } }) => {
      if (branch === 'main')
        throw new AppError('refused', 'The branch main is checked out, and your checkout stays as it is.');
      return {
        projectPath: '/projects/app',
        branch: branchOf(branch),
        isMore: false,
        base: '0a1b2c3d4e5f60718293a4b5c6d7e8f901234567',
        author: 'Ada <ada@example.org>',
        message: `${message ?? 'Fix the date'}\n\nDewpoint-Session: 1\n`,
        files: [
          { path: 'src/date.ts', kind: 'modified', note: null },
          { path: 'notes.md', kind: 'left out', note: 'you changed it, too' },
        ],
        notes: ['Git signs your commits. Dewpoint cannot, so this one is not signed.'],
        approval: 'a'.repeat(64),
      };
    },
    commit: ({ input: { branch, message, approval } }) => {
      note('commit', branch, message, approval);
      return { branch: branchOf(branch), commit, files: 1 };
    },
    planRequest: ({ input: { branch } }) => ({
      remote: 'origin',
      host: 'example.org',
      address: 'https://example.org/ada/app.git',
      branch: branchOf(branch),
      commit,
      base: null,
      title: 'Fix the date',
      body: '12 tests pass. It cost $0.02.',
      others: 1,
      notes: [],
      approval: 'b'.repeat(64),
    }),
    request: ({ input: { approval } }) => {
      note('request', approval);
      return { url, number: 7, isNew: true };
    },
    issue: ({ input: { projectPath, issue } }) => {
      if (!issue.startsWith('https://example.org/ada/app/'))
        throw new AppError('refused', 'No remote of the project leads to that host, so it is not asked.');
      note('issue', projectPath, issue);
      const of = { number: 12, url: issue, title: 'Issue #12: Wrong date', isOpen: true, comments: 1 };
      return {
        ...of,
        branch: 'dewpoint/issue-12',
        text: 'Solve issue 12 of example.org/ada/app.\n\n> The date is wrong.',
      };
    },
    read: ({ input: { ask } }) => {
      if (ask.type !== 'branches') throw new AppError('not-found', 'This repository answers about its branches only.');
      const remotes = [{ name: 'origin', address: 'https://example.org/ada/app.git' }];
      return { type: 'branches', branch: 'main', commit, branches: [], remotes };
    },
    pull: async function* ({ input: { projectPath } }) {
      note('pull', projectPath);
      const begin = { folder: projectPath, branch: 'main', remote: 'origin', host: 'example.org', theirs: 'main' };
      yield { type: 'began', ...begin };
      yield { type: 'progress', step: 'write', done: 1, total: 2 };
      const notes = ['1 submodule is not brought.'];
      yield { type: 'ended', pull: { ...begin, from: 'a'.repeat(40), to: commit, files: 2, notes } };
    },
    planPush: ({ input: { projectPath } }) => ({
      folder: projectPath,
      branch: 'main',
      commit,
      remote: 'origin',
      host: 'example.org',
      address: 'https://example.org/ada/app',
      isNew: false,
      commits: [{ id: commit, author: 'Ada', title: 'Read dates in UTC' }],
      count: 1,
      notes: ['The remote is by SSH. Dewpoint pushes to the same host by HTTPS.'],
      approval: 'c'.repeat(64),
    }),
    push: ({ input: { approval } }) => {
      note('push', approval);
      return { branch: 'main', commit, address: 'https://example.org/ada/app' };
    },
    clone: async function* ({ input: { url, folder }, signal }) {
      if (url.includes('@')) throw new AppError('bad-input', 'This address is by SSH, and Dewpoint uses no SSH keys.');
      note('clone', url, folder);
      yield { type: 'progress', step: 'receive', done: 4_000_000, total: null };
      // One of this name waits for its end.
      if (url.includes('slow')) await new Promise((resolve) => signal?.addEventListener('abort', resolve));
      const notes = [
        '1 submodule is not brought. To bring them: git submodule update --init',
        'Links that lead outside of the folder: a\u202eb.',
      ];
      yield { type: 'ended', clone: { folder, host: 'example.org', branch: 'main', commit, files: 12, notes } };
    },
    review: () => ({ url, comments: core.comments, given: 0, message: 'Comments of others:\nGrace: use UTC' }),
  };
}
