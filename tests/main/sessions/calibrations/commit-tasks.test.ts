import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitCandidates } from '../../../../src/main/sessions/calibrations/commit-tasks.ts';
import { isWithoutGit } from '../../../fakes/git-here.ts';
import { realRepository, workedSessions } from '../../../fakes/real-repository.ts';
import { createMemoryJournal } from '../../../fakes/memory-journal.ts';

const { signal } = new AbortController();
const { runGit } = workedSessions(createMemoryJournal());

/** Catches: a project without a history that ends everything, and commits of no use. */
describe.skipIf(isWithoutGit)('the commits that tasks come from', () => {
  it('changed both code and tests, and lie in the folder of the project', async () => {
    const repository = realRepository();
    repository.write('app/a.py', 'one\n');
    repository.commit('First');
    repository.write('app/a.py', 'two\n');
    repository.write('app/test_a.py', 'test\n');
    repository.commit('Code and tests');
    repository.write('app/a.py', 'three\n');
    repository.commit('Code alone');
    const { commits, notes } = await commitCandidates(runGit, join(repository.folder, 'app'), signal);
    expect(commits.map(({ message }) => message.trim())).toEqual(['Code and tests']);
    expect(notes).toEqual([]);
  });

  it('are also merges of branches, for what those changed together', async () => {
    const repository = realRepository();
    repository.write('a.py', 'one\n');
    repository.commit('First');
    repository.git('checkout', '-q', '-b', 'topic');
    repository.write('a.py', 'two\n');
    repository.commit('Code');
    repository.write('test_a.py', 'test\n');
    repository.commit('Tests');
    repository.git('checkout', '-q', 'main');
    repository.git('merge', '-q', '--no-ff', '-m', 'Say two in place of one', 'topic');
    const { commits } = await commitCandidates(runGit, repository.folder, signal);
    expect(commits.map(({ message, paths }) => [message.trim(), paths])).toEqual([
      ['Say two in place of one', ['a.py', 'test_a.py']],
    ]);
  });

  it('are none without a repository, without a commit, and in a shallow clone, which is said', async () => {
    const bare = mkdtempSync(join(tmpdir(), 'dewpoint-no-git-'));
    expect((await commitCandidates(runGit, bare, signal)).notes[0]).toContain('has no git history');
    expect((await commitCandidates(runGit, realRepository().folder, signal)).commits).toEqual([]);
    const origin = realRepository();
    for (const text of ['one', 'two']) {
      origin.write('a.py', text);
      origin.write('test_a.py', text);
      origin.commit(text);
    }
    const shallow = realRepository();
    shallow.git('fetch', '-q', '--depth', '1', `file://${origin.folder}`, 'main');
    shallow.git('reset', '-q', '--hard', 'FETCH_HEAD');
    const found = await commitCandidates(runGit, shallow.folder, signal);
    expect(found.commits).toEqual([]);
    expect(found.notes.join(' ')).toContain('shallow');
  });
});
