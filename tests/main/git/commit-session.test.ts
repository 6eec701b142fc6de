import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createGitCommands } from '../../../src/main/git/commands.ts';
import { isWithoutGit } from '../../fakes/git-here.ts';
import { createMemoryJournal, type MemoryJournal } from '../../fakes/memory-journal.ts';
import { noteChange, realRepository, workedSessions, type RealRepository } from '../../fakes/real-repository.ts';

interface Scene {
  readonly repo: RealRepository;
  readonly journal: MemoryJournal;
  readonly plan: (wish?: Wish) => Promise<Awaited<ReturnType<ReturnType<typeof createGitCommands>['planCommit']>>>;
  readonly commit: (wish?: Wish) => Promise<{ readonly branch: string; readonly commit: string }>;
}

interface Wish {
  readonly branch?: string;
  readonly message?: string;
}

const lines = (...some: readonly string[]): string => `${some.join('\n')}\n`;

/** A project with one commit, and a session in it. */
async function scene(
  files: Readonly<Record<string, string>>,
  { title = 'Fix the Date, now', below = '' } = {},
): Promise<Scene> {
  const repo = realRepository();
  for (const [path, text] of Object.entries(files)) repo.write(path, text);
  repo.write('README', 'read me\n');
  repo.commit('one');
  repo.git('config', 'user.name', 'Ada');
  repo.git('config', 'user.email', 'ada@example.org');
  const journal = createMemoryJournal();
  await journal.append({
    type: 'session-created',
    logVersion: 2,
    sessionId: 'session-1',
    appVersion: '1',
    projectPath: join(repo.folder, below),
    workspace: { mode: 'in-place', path: join(repo.folder, below) },
    parentId: null,
    groupId: null,
    title,
  });
  const { planCommit, commit } = createGitCommands(workedSessions(journal));
  const { signal } = new AbortController();
  const inputOf = ({ branch, message }: Wish = {}) => ({
    sessionId: 'session-1',
    branch: branch ?? null,
    message: message ?? null,
  });
  const plan: Scene['plan'] = async (wish) => planCommit({ input: inputOf(wish), signal });
  return {
    repo,
    journal,
    plan,
    commit: async (wish) => commit({ input: { ...inputOf(wish), approval: (await plan(wish)).approval }, signal }),
  };
}

describe.skipIf(isWithoutGit)('a commit of a session', () => {
  // Catches: tasks in other scripts, which all have the name "task", and the same task twice.
  it('has a branch of its own when the name of its task is taken', async () => {
    const { repo, journal, plan, commit } = await scene({ a: 'one\n' }, { title: '修复日期' });
    repo.git('branch', 'dewpoint/task');
    await noteChange(journal, 'a', ['one\n', 'two\n']);
    expect(await commit()).toMatchObject({ branch: 'dewpoint/task-2' });
    await noteChange(journal, 'a', ['two\n', 'three\n']);
    expect(await plan()).toMatchObject({ branch: 'dewpoint/task-2', isMore: true });
    await expect(plan({ branch: 'dewpoint/task' })).rejects.toMatchObject({ code: 'conflict' });
  });

  it("has the session's changes on a branch of its own, as git sees it", async () => {
    const { repo, journal, commit } = await scene({ 'src/a.py': 'one\n', 'src/old/b.py': 'b\n', 'c.sh': 'c\n' });
    await noteChange(journal, 'src/a.py', ['one\n', 'two\n']);
    await noteChange(journal, 'src/old/b.py', ['b\n', null]);
    await noteChange(journal, 'src/new/deep/d.py', [null, 'd\n']);
    await noteChange(journal, 'c.sh', ['c\n', 'c\n'], 0o755);
    await noteChange(journal, 'c.sh', ['c\n', 'cc\n'], 0o755);
    const head = repo.git('rev-parse', 'HEAD');
    const made = await commit();
    expect(made.branch).toBe('dewpoint/fix-the-date-now');
    expect(repo.git('rev-parse', made.branch)).toBe(made.commit);
    expect(repo.git('diff', '--name-status', 'main', made.branch).split('\n')).toEqual([
      'M\tc.sh',
      'M\tsrc/a.py',
      'A\tsrc/new/deep/d.py',
      'D\tsrc/old/b.py',
    ]);
    expect(repo.git('ls-tree', made.branch, 'c.sh')).toMatch(/^100755/u);
    expect(repo.git('log', '-1', '--format=%an <%ae>%n%B', made.branch)).toBe(
      'Ada <ada@example.org>\nFix the Date, now\n\nDewpoint-Session: session-1\n',
    );
    expect(repo.git('rev-parse', `${made.branch}^`)).toBe(head);
    expect(repo.git('fsck', '--strict')).toBe('');
  });

  // Catches: a commit by way of the checkout, which changes the index, HEAD, the files or what is staged.
  it('leaves the checkout, the index and HEAD as they are, and runs no hook', async () => {
    const { repo, journal, commit } = await scene({ a: 'one\n', b: 'b\n' });
    repo.write('b', 'staged\n');
    repo.git('add', 'b');
    for (const hook of ['pre-commit', 'commit-msg', 'post-commit', 'reference-transaction', 'prepare-commit-msg'])
      writeFileSync(join(repo.folder, '.git/hooks', hook), `#!/bin/sh\ntouch ${repo.folder}/ran\n`, { mode: 0o755 });
    await noteChange(journal, 'a', ['one\n', 'two\n']);
    const before = ['index', 'HEAD'].map((name) => readFileSync(join(repo.folder, '.git', name)).toString('hex'));
    const status = repo.git('status', '--porcelain');
    await commit();
    expect(['index', 'HEAD'].map((name) => readFileSync(join(repo.folder, '.git', name)).toString('hex'))).toEqual(
      before,
    );
    expect(repo.git('status', '--porcelain')).toBe(status);
  });

  it("has only the session's lines of a file that you have changed too", async () => {
    const { repo, journal, commit } = await scene({ a: 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n' });
    const yours = 'ONE\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n';
    await noteChange(journal, 'a', [yours, yours.replace('eight', 'EIGHT')]);
    const made = await commit();
    expect(repo.git('show', `${made.branch}:a`)).toBe('one\ntwo\nthree\nfour\nfive\nsix\nseven\nEIGHT');
  });

  it('has none of your lines that came between two changes of the session', async () => {
    const { repo, journal, commit } = await scene({ a: lines('one', 'two', 'three', 'four', 'five', 'six', 'seven') });
    await noteChange(journal, 'a', [
      lines('one', 'two', 'three', 'four', 'five', 'six', 'seven'),
      lines('ONE', 'two', 'three', 'four', 'five', 'six', 'seven'),
    ]);
    await noteChange(journal, 'a', [
      lines('ONE', 'two', 'three', 'mine', 'five', 'six', 'seven'),
      lines('ONE', 'two', 'three', 'mine', 'five', 'six', 'SEVEN'),
    ]);
    const { branch } = await commit();
    expect(repo.git('show', `${branch}:a`)).toBe('ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN');
  });

  it('has nothing of a file in which only your lines are left', async () => {
    const { journal, plan } = await scene({ a: lines('one', 'two', 'three'), b: 'b\n' });
    await noteChange(journal, 'a', [lines('one', 'two', 'three'), lines('ONE', 'two', 'three')]);
    await noteChange(journal, 'a', [lines('ONE', 'two', 'mine'), lines('one', 'two', 'mine')]);
    await noteChange(journal, 'b', ['b\n', 'bb\n']);
    expect((await plan()).files).toMatchObject([
      { path: 'a', kind: 'left out', note: 'git has it like this already' },
      { path: 'b', kind: 'modified' },
    ]);
  });

  it('leaves out a file whose same lines you have changed, and says so', async () => {
    const { journal, plan } = await scene({ a: 'one\n', b: 'b\n' });
    await noteChange(journal, 'a', ['yours\n', 'yours, changed\n']);
    await noteChange(journal, 'b', ['b\n', 'bb\n']);
    expect((await plan()).files).toMatchObject([
      { path: 'a', kind: 'left out', note: expect.stringContaining('commit them first') },
      { path: 'b', kind: 'modified' },
    ]);
  });

  it('adds what is new to the same branch', async () => {
    const { repo, journal, commit, plan } = await scene({ a: 'one\n', b: 'b\n' });
    await noteChange(journal, 'a', ['one\n', 'two\n']);
    const first = await commit();
    await expect(plan()).rejects.toMatchObject({ code: 'bad-input' });
    await noteChange(journal, 'a', ['two\n', 'three\n']);
    await noteChange(journal, 'b', ['b\n', 'bb\n']);
    const second = await commit({ message: 'Second' });
    expect(repo.git('rev-parse', `${second.commit}^`)).toBe(first.commit);
    expect(repo.git('show', `${second.branch}:a`)).toBe('three');
    expect(repo.git('log', '--format=%s', `main..${second.branch}`)).toBe('Second\nFix the Date, now');
  });

  it('keeps on the branch what cannot be committed again', async () => {
    const { repo, journal, commit } = await scene({ a: 'one\n', b: 'b\n' });
    await noteChange(journal, 'a', ['one\n', 'two\n']);
    await commit();
    await noteChange(journal, 'a', ['yours\n', 'yours, changed\n']);
    await noteChange(journal, 'b', ['b\n', 'bb\n']);
    const { branch } = await commit({ message: 'Second' });
    expect([repo.git('show', `${branch}:a`), repo.git('show', `${branch}:b`)]).toEqual(['two', 'bb']);
  });

  it('adds a file that only became executable since', async () => {
    const { repo, journal, commit } = await scene({ 'c.sh': 'c\n' });
    await noteChange(journal, 'c.sh', ['c\n', 'cc\n']);
    await commit();
    await noteChange(journal, 'c.sh', ['cc\n', 'cc\n'], 0o755);
    const { branch } = await commit({ message: 'Second' });
    expect(repo.git('ls-tree', branch, 'c.sh')).toMatch(/^100755/u);
  });

  it('takes back on the branch what the session took back', async () => {
    const { repo, journal, commit } = await scene({ a: 'one\n', b: 'b\n' });
    await noteChange(journal, 'a', ['one\n', 'two\n']);
    await noteChange(journal, 'new', [null, 'new\n']);
    await noteChange(journal, 'b', ['b\n', 'bb\n']);
    await commit();
    await noteChange(journal, 'a', ['two\n', 'one\n']);
    await noteChange(journal, 'new', ['new\n', null]);
    const { branch } = await commit({ message: 'Less' });
    expect(repo.git('diff', '--name-only', 'main', branch)).toBe('b');
  });

  it('is of the whole session, also after its changes were taken', async () => {
    const { repo, journal, commit } = await scene({ a: 'one\n' });
    await noteChange(journal, 'a', ['one\n', 'two\n']);
    await journal.append({ type: 'changes-taken', paths: ['a'], target: repo.folder });
    await noteChange(journal, 'a', ['two\n', 'three\n']);
    expect(repo.git('show', `${(await commit()).branch}:a`)).toBe('three');
  });

  it.each([
    ['checked out', async ({ repo }: Scene) => void repo.git('checkout', '-q', '-b', 'dewpoint/x'), 'refused'],
    ['of others', async ({ repo }: Scene) => void repo.git('branch', 'dewpoint/x'), 'conflict'],
    ['in the way', async ({ repo }: Scene) => void repo.git('branch', 'dewpoint'), 'conflict'],
    [
      'packed and of others',
      async ({ repo }: Scene) => void (repo.git('branch', 'dewpoint/x'), repo.git('pack-refs', '--all')),
      'conflict',
    ],
    [
      'checked out elsewhere',
      async ({ repo }: Scene) => void repo.git('worktree', 'add', '-q', '-b', 'dewpoint/x', `${repo.folder}-w`),
      'refused',
    ],
  ])('does not touch a branch that is %s', async (_, prepare, code) => {
    const made = await scene({ a: 'one\n' });
    await noteChange(made.journal, 'a', ['one\n', 'two\n']);
    await prepare(made);
    const refs = made.repo.git('for-each-ref');
    await expect(made.plan({ branch: 'dewpoint/x' })).rejects.toMatchObject({ code, hint: expect.any(String) });
    expect(made.repo.git('for-each-ref')).toBe(refs);
  });

  it.each(['../x', 'a..b', '-x', 'x.lock', 'a//b', '.x', 'HEAD', 'a b', 'x/'])(
    'refuses the name %s for a branch',
    async (branch) => {
      const { journal, plan } = await scene({ a: 'one\n' });
      await noteChange(journal, 'a', ['one\n', 'two\n']);
      await expect(plan({ branch })).rejects.toMatchObject({ code: 'bad-input' });
    },
  );

  it('leaves out submodules, Git LFS, names of git and what was not kept', async () => {
    const { repo, journal, plan } = await scene({
      big: 'version https://git-lfs.github.com/spec/v1\noid sha256:1\n',
      a: '1',
    });
    const inner = realRepository();
    inner.write('a', '1');
    inner.commit('one');
    repo.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner.folder, 'sub');
    repo.commit('two');
    await noteChange(journal, 'big', ['real content', 'new content']);
    await noteChange(journal, 'sub/a', ['1', '2']);
    await noteChange(journal, 'x/.GIT/config', [null, 'evil']);
    await noteChange(journal, 'a', ['1', '2']);
    const { files } = await plan();
    expect(files.map(({ path, kind }) => [path, kind])).toEqual([
      ['a', 'modified'],
      ['big', 'left out'],
      ['sub/a', 'left out'],
      ['x/.GIT/config', 'left out'],
    ]);
  });

  it('is said to be unsigned where git signs', async () => {
    const { repo, journal, plan } = await scene({ a: 'one\n' });
    repo.git('config', 'commit.gpgsign', 'true');
    await noteChange(journal, 'a', ['one\n', 'two\n']);
    expect((await plan()).notes).toEqual([expect.stringContaining('not signed')]);
  });

  it('is not made when something changed since it was shown', async () => {
    const { repo, journal, plan } = await scene({ a: 'one\n' });
    await noteChange(journal, 'a', ['one\n', 'two\n']);
    const { approval } = await plan();
    await noteChange(journal, 'a', ['two\n', 'evil\n']);
    const { commit } = createGitCommands(workedSessions(journal));
    const input = { sessionId: 'session-1', branch: null, message: null, approval };
    const { signal } = new AbortController();
    await expect(commit({ input, signal })).rejects.toMatchObject({ code: 'conflict' });
    expect(repo.git('branch', '--list', 'dewpoint/*')).toBe('');
  });

  it('of a folder in a repository goes to that repository, which is named', async () => {
    const { repo, journal, plan, commit } = await scene(
      { 'packages/app/a': 'one\n', 'packages/a': 'other\n' },
      { below: 'packages/app' },
    );
    await noteChange(journal, 'a', ['one\n', 'two\n']);
    await noteChange(journal, 'new/b', [null, 'b\n']);
    const { files, notes } = await plan();
    expect(files.map(({ path }) => path)).toEqual(['packages/app/a', 'packages/app/new/b']);
    expect(notes).toEqual([`The project is a folder of the repository ${repo.folder}, which gets the branch.`]);
    const made = await commit();
    expect(repo.git('diff', '--name-only', 'HEAD', made.branch)).toBe('packages/app/a\npackages/app/new/b');
    expect(repo.git('show', `${made.branch}:packages/a`)).toBe('other');
  });

  it('needs a first commit', async () => {
    const { repo, journal, plan } = await scene({ a: 'one\n' });
    rmSync(join(repo.folder, '.git'), { recursive: true });
    realRepository(repo.folder);
    await noteChange(journal, 'a', ['one\n', 'two\n']);
    await expect(plan()).rejects.toMatchObject({
      code: 'bad-input',
      message: expect.stringContaining('no commits yet'),
    });
  });
});
