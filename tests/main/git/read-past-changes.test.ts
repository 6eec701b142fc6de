import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkOut, textsAt } from '../../../src/main/git/past/check-out.ts';
import { readPastChanges } from '../../../src/main/git/past/read-past-changes.ts';
import { withRepository, type Repository } from '../../../src/main/git/repository.ts';
import { isWithoutGit } from '../../fakes/git-here.ts';
import { realRepository } from '../../fakes/real-repository.ts';

const { signal } = new AbortController();
const inside = <T>(folder: string, work: (repository: Repository) => Promise<T>): Promise<T> =>
  withRepository(folder, { signal, isBelow: true }, work);

/** Catches: a task whose files are not those before the commit, and a history that the work can look at. */
describe.skipIf(isWithoutGit)('past changes of a repository', () => {
  const repository = realRepository();
  repository.write('app/a.py', 'one\n');
  repository.write('other.txt', 'x\n');
  const first = repository.commit('First');
  repository.write('app/a.py', 'two\n');
  repository.write('app/test_a.py', 'test\n');
  const second = repository.commit('Second: two instead of one');
  repository.write('other.txt', 'y\n');
  repository.commit('Third');

  it('are listed latest first with their paths, and only those of the folder', async () => {
    const all = await inside(repository.folder, (open) => readPastChanges(open, { most: 10 }));
    expect(all.commits.map(({ message, paths }) => [message.trim(), paths])).toEqual([
      ['Third', ['other.txt']],
      ['Second: two instead of one', ['app/a.py', 'app/test_a.py']],
    ]);
    const app = await inside(join(repository.folder, 'app'), (open) => readPastChanges(open, { most: 10 }));
    expect(app.commits.map(({ id, parent, paths }) => [id, parent, paths])).toEqual([
      [second, first, ['a.py', 'test_a.py']],
    ]);
  });

  it('are checked out without history into a folder, and the repository stays as it is', async () => {
    const before = repository.git('status', '--porcelain');
    const folder = mkdtempSync(join(tmpdir(), 'dewpoint-past-'));
    await inside(repository.folder, (open) => checkOut(open, { commit: first, folder }));
    expect(readdirSync(folder).sort()).toEqual(['app', 'other.txt']);
    expect(readFileSync(join(folder, 'app/a.py'), 'utf8')).toBe('one\n');
    expect(repository.git('status', '--porcelain')).toBe(before);
  });

  it('have the texts of their files, and say which are not there', async () => {
    const texts = await inside(repository.folder, (open) =>
      textsAt(open, { commit: first, paths: ['app/a.py', 'app/test_a.py'] }),
    );
    expect(texts).toEqual([
      { path: 'app/a.py', isThere: true, text: 'one\n' },
      { path: 'app/test_a.py', isThere: false, text: null },
    ]);
  });

  it('are none in a repository without commits', async () => {
    const { folder } = realRepository();
    const found = await inside(folder, (open) => readPastChanges(open, { most: 10 }));
    expect(found.commits).toEqual([]);
  });
});
