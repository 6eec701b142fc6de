import { appendFileSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GitQuestion } from '@shared/contract/git-contract.ts';
import type { GitReport } from '@shared/git/git-report.ts';
import { describe, expect, it } from 'vitest';
import { createGitCommands } from '../../../src/main/git/commands.ts';
import { readStatus } from '../../../src/main/git/read-status.ts';
import type { RepositoryFiles } from '../../../src/main/git/repository-files.ts';
import { withRepository } from '../../../src/main/git/repository.ts';
import { isWithoutGit } from '../../fakes/git-here.ts';
import { createMemoryJournal } from '../../fakes/memory-journal.ts';
import { realRepository, workedSessions, type RealRepository } from '../../fakes/real-repository.ts';

const { read } = createGitCommands(workedSessions(createMemoryJournal()));

async function ask<Type extends GitQuestion['type']>(
  { folder }: Pick<RealRepository, 'folder'>,
  question: Extract<GitQuestion, { type: Type }>,
  signal = new AbortController().signal,
): Promise<Extract<GitReport, { type: Type }>> {
  const report = await read({ input: { projectPath: folder, ask: question }, signal });
  if (!isOf<Type>(report, question)) throw new Error(report.type);
  return report;
}

const isOf = <Type extends GitQuestion['type']>(
  report: GitReport,
  question: { readonly type: string },
): report is Extract<GitReport, { type: Type }> => report.type === question.type;

const log = { type: 'log', limit: 20 } as const;
const diff = { type: 'diff', from: 'HEAD', to: null } as const;

describe.skipIf(isWithoutGit)('the state of a checkout', () => {
  it('is what git says, file by file', async () => {
    const repo = realRepository();
    for (const name of ['same', 'changed', 'gone', 'dir/staged']) repo.write(name, `${name}\n`);
    repo.write('.gitignore', 'ignored/\n');
    repo.commit('one');
    repo.write('changed', 'other\n');
    repo.write('dir/staged', 'other\n');
    repo.git('add', 'dir/staged');
    repo.write('new ü', 'x');
    repo.write('ignored/deep', 'x');
    rmSync(join(repo.folder, 'gone'));
    const status = await ask(repo, { type: 'status' });
    expect(status.entries.map(({ path, kind, isStaged }) => [path, kind, isStaged])).toEqual([
      ['changed', 'modified', false],
      ['dir/staged', 'modified', true],
      ['gone', 'deleted', false],
      ['new ü', 'untracked', false],
    ]);
    expect(status.branch).toBe('main');
  });

  // Catches: times in milliseconds, which never equal those in nanoseconds, so that every file is read.
  it('reads no file whose size and times are those that git noted', async () => {
    const repo = realRepository();
    for (const name of ['a', 'dir/b', 'dir/c']) repo.write(name, `${name}\n`);
    repo.commit('one');
    const later = new Date(Date.now() + 5_000);
    utimesSync(join(repo.folder, '.git/index'), later, later);
    repo.write('dir/c', 'more\n');
    const read: string[] = [];
    await withRepository(repo.folder, { signal: new AbortController().signal }, async (repository) => {
      const promises: RepositoryFiles = {
        ...repository.files,
        readFile: async (path, options) => {
          if (path.startsWith('/tree/')) read.push(path);
          return repository.files.readFile(path, options);
        },
      };
      await readStatus({ ...repository, git: { ...repository.git, fs: { promises } } });
    });
    expect(read.filter((path) => !path.endsWith('.gitignore'))).toEqual(['/tree/dir/c']);
  });

  // Catches: trust in times that git itself does not trust, because the file could change after it was noted.
  it('reads a file that may have changed while git noted its times', async () => {
    const repo = realRepository();
    repo.write('a', 'one\n');
    repo.commit('one');
    utimesSync(join(repo.folder, '.git/index'), new Date(0), new Date(0));
    await withRepository(repo.folder, { signal: new AbortController().signal }, async ({ files }) => {
      expect(await files.lstat('/tree/a')).toMatchObject({ mtimeNanoseconds: -1 });
    });
  });

  it('is that of the repository above a folder, with paths from there', async () => {
    const repo = realRepository();
    for (const name of ['app/src/a', 'other']) repo.write(name, 'one\n');
    const id = repo.commit('one');
    for (const name of ['app/src/a', 'other']) repo.write(name, 'two\n');
    const below = { folder: join(repo.folder, 'app') };
    const { entries } = await ask(below, { type: 'status' });
    expect(entries.map(({ path }) => path)).toEqual(['src/a', '../other']);
    expect((await ask(below, { ...diff, path: 'src' })).files).toMatchObject([{ path: 'app/src/a' }]);
    expect((await ask(below, { ...log, path: 'src/a' })).commits).toMatchObject([{ id }]);
    expect((await ask(below, { type: 'blame', path: '../other', ref: 'HEAD' })).lines).toMatchObject([{ commit: id }]);
    await expect(ask(below, { ...diff, path: '../../x' })).rejects.toMatchObject({ code: 'bad-input' });
    await expect(ask({ folder: tmpdir() }, { type: 'status' })).rejects.toMatchObject({ code: 'not-found' });
  });

  it('leaves the index as it is', async () => {
    const repo = realRepository();
    repo.write('a', '1');
    repo.commit('one');
    repo.write('a', '1');
    const before = readFileSync(join(repo.folder, '.git/index'));
    await ask(repo, { type: 'status' });
    expect(readFileSync(join(repo.folder, '.git/index')).equals(before)).toBe(true);
  });

  it('is known before the first commit', async () => {
    const repo = realRepository();
    repo.write('a', '1');
    expect(await ask(repo, { type: 'status' })).toMatchObject({
      branch: 'main',
      commit: null,
      entries: [{ path: 'a', kind: 'untracked' }],
    });
    expect(await ask(repo, log)).toMatchObject({ commits: [], note: 'There are no commits yet.' });
    expect((await ask(repo, diff)).files).toEqual([]);
  });

  it('names a detached head, a conflict and a merge that is half done', async () => {
    const repo = realRepository();
    repo.write('a', 'one\n');
    repo.commit('one');
    repo.git('checkout', '-q', '-b', 'other');
    repo.write('a', 'two\n');
    repo.commit('two');
    repo.git('checkout', '-q', 'main');
    repo.write('a', 'three\n');
    const id = repo.commit('three');
    repo.git('checkout', '-q', '--detach');
    expect(() => repo.git('merge', 'other')).toThrow();
    expect(await ask(repo, { type: 'status' })).toMatchObject({
      branch: null,
      commit: id,
      entries: [{ path: 'a', kind: 'conflict' }],
      notes: ['Git is in the middle of a merge.'],
    });
  });

  it('does not count what a sparse checkout leaves out as deleted', async () => {
    const repo = realRepository();
    repo.write('in/a', '1');
    repo.write('out/b', '1');
    repo.commit('one');
    repo.git('sparse-checkout', 'set', '--no-sparse-index', 'in');
    const { entries, notes } = await ask(repo, { type: 'status' });
    expect(entries).toEqual([]);
    expect(notes).toEqual(['A sparse checkout: 1 files are left out on purpose.']);
  });

  it('names submodules and Git LFS', async () => {
    const inner = realRepository();
    inner.write('a', '1');
    inner.commit('one');
    const repo = realRepository();
    repo.write('.gitattributes', '*.bin filter=lfs -text\n');
    repo.commit('one');
    repo.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner.folder, 'sub');
    repo.commit('two');
    const { notes, entries } = await ask(repo, { type: 'status' });
    expect(entries).toEqual([]);
    expect(notes.join(' ')).toMatch(/Submodules .*: sub\..*Git LFS/u);
  });
});

describe.skipIf(isWithoutGit)('the history of a repository', () => {
  it('is what git says, from loose objects and from packs', async () => {
    const repo = realRepository();
    for (let count = 1; count <= 30; count += 1) {
      repo.write(count % 3 === 0 ? 'three' : 'a', `${'same line\n'.repeat(50)}${count}\n`);
      repo.commit(`commit ${count}`);
      if (count === 20) repo.git('gc', '-q');
    }
    const own = repo.git('log', '--format=%H', '-20').split('\n');
    const found = await ask(repo, log);
    expect(found.commits.map(({ id }) => id)).toEqual(own);
    expect(found.hasMore).toBe(true);
    const three = await ask(repo, { ...log, path: 'three' });
    expect(three.commits.map(({ id }) => id)).toEqual(repo.git('log', '--format=%H', '--', 'three').split('\n'));
    const shown = await ask(repo, { type: 'show', ref: 'HEAD~1' });
    expect(shown.commit.message).toBe('commit 29\n');
    expect(shown.files.map(({ text }) => text).join('')).toContain('-28\n+29\n');
    const [file] = shown.files;
    const part = async (path: string) => (await ask(repo, { type: 'show', ref: 'HEAD~1', path })).files;
    // Bug: a path was taken and left out of account, so the whole commit was shown.
    expect(await part(file?.path ?? '')).toEqual([file]);
    expect(await part('nowhere')).toEqual([]);
  });

  it('says of each line who wrote it, as git does', async () => {
    const repo = realRepository();
    const ids: string[] = [];
    for (const text of ['a\nb\nc\n', 'a\nB\nc\nd\n', 'x\na\nB\nd\n']) {
      repo.write('f', text);
      ids.push(repo.commit(text));
    }
    const own = repo
      .git('blame', '-s', '-l', '--root', 'f')
      .split('\n')
      .map((line) => line.slice(0, 40));
    expect((await ask(repo, { type: 'blame', path: 'f' })).lines.map(({ commit }) => commit)).toEqual(own);
    expect(own).toEqual([ids[2], ids[0], ids[1], ids[1]]);
  });

  it('says of each line of the file as it is whether it is committed', async () => {
    const repo = realRepository();
    repo.write('f', 'a\nb\nc\n');
    const id = repo.commit('one');
    repo.write('f', 'new\r\na\r\nB\r\nc\r\n');
    const { lines, note } = await ask(repo, { type: 'blame', path: 'f' });
    expect(lines.map(({ commit, author }) => [commit, author.slice(0, 17)])).toEqual([
      [null, 'not committed yet'],
      [id, 'Ada <ada@example.'],
      [null, 'not committed yet'],
      [id, 'Ada <ada@example.'],
    ]);
    expect(note).toBe('2 lines are not committed yet.');
    const committed = await ask(repo, { type: 'blame', path: 'f', ref: 'HEAD' });
    expect([committed.lines.map(({ text }) => text), committed.note]).toEqual([['a', 'b', 'c'], null]);
    rmSync(join(repo.folder, 'f'));
    expect((await ask(repo, { type: 'blame', path: 'f' })).note).toContain('The file is gone');
    symlinkSync('/etc/passwd', join(repo.folder, 'f'));
    expect(await ask(repo, { type: 'blame', path: 'f' })).toMatchObject({ lines: committed.lines });
  });

  it('says plainly that a file, its history or a first commit is not there', async () => {
    const repo = realRepository();
    await expect(ask(repo, { type: 'show', ref: 'HEAD' })).rejects.toThrow('There are no commits yet.');
    await expect(ask(repo, { type: 'blame', path: 'f' })).rejects.toThrow('There are no commits yet.');
    repo.write('dir/f', 'x');
    repo.commit('one');
    await expect(ask(repo, { type: 'blame', path: 'dir' })).rejects.toThrow('dir is a folder. Name a file in it.');
    for (const path of ['none', 'dir/none', 'dir/f/none', '/f'])
      await expect(ask(repo, { type: 'blame', path })).rejects.toThrow(`HEAD has no file ${path}.`);
    expect((await ask(repo, { ...log, path: 'none' })).note).toBe('No commit changed none.');
    expect((await ask(repo, { ...log, path: 'dir/f' })).note).toBe(null);
  });

  it('shows what differs from a commit, and between two', async () => {
    const repo = realRepository();
    repo.write('a', 'one\n');
    repo.write('b', 'one\n');
    repo.commit('one');
    repo.write('a', 'two\n');
    repo.commit('two');
    repo.write('b', 'changed\n');
    expect((await ask(repo, diff)).files.map(({ path }) => path)).toEqual(['b']);
    expect((await ask(repo, { ...diff, from: 'HEAD~1' })).files.map(({ path }) => path)).toEqual(['a', 'b']);
    expect((await ask(repo, { ...diff, from: 'HEAD~1', to: 'main' })).files.map(({ path }) => path)).toEqual(['a']);
  });

  it('lists branches and remotes, without a password', async () => {
    const repo = realRepository();
    repo.write('a', '1');
    repo.commit('one');
    repo.git('branch', 'topic/x');
    repo.git('pack-refs', '--all');
    repo.git('remote', 'add', 'origin', 'https://ada:se@cret@example.org/a.git');
    const { branches, remotes, branch } = await ask(repo, { type: 'branches' });
    expect(branches.map(({ name }) => name)).toEqual(['main', 'topic/x']);
    expect(remotes).toEqual([{ name: 'origin', address: 'https://example.org/a.git' }]);
    expect(branch).toBe('main');
  });

  it('of a shallow clone ends with a sentence', async () => {
    const from = realRepository();
    for (const text of ['1', '2', '3']) {
      from.write('a', text);
      from.commit(text);
    }
    const repo = realRepository();
    rmSync(repo.folder, { recursive: true });
    from.git('clone', '-q', '--depth', '1', `file://${from.folder}`, repo.folder);
    expect(await ask(repo, log)).toMatchObject({
      commits: [{ message: '3\n' }],
      note: 'A shallow clone: older commits are only at the remote.',
    });
  });

  it('of a linked worktree is that of its repository, with a HEAD of its own', async () => {
    const from = realRepository();
    from.write('a', '1');
    from.commit('one');
    const folder = `${from.folder}-linked`;
    from.git('worktree', 'add', '-q', '-b', 'linked', folder);
    expect(await ask({ folder }, { type: 'status' })).toMatchObject({ branch: 'linked', entries: [] });
  });
});

describe.skipIf(isWithoutGit)('a hostile or damaged repository', () => {
  // Catches: objects of another folder that come in by a link, a file of alternates or a `.git` file.
  it('never leads to files outside of the project', async () => {
    const secret = realRepository();
    secret.write('secret', 'secret text');
    const id = secret.commit('a secret');
    const repo = realRepository();
    rmSync(join(repo.folder, '.git/objects'), { recursive: true });
    symlinkSync(join(secret.folder, '.git/objects'), join(repo.folder, '.git/objects'));
    await expect(ask(repo, { type: 'show', ref: id })).rejects.toMatchObject({ code: 'not-found' });

    const borrowing = realRepository();
    borrowing.write('.git/objects/info/alternates', `${join(secret.folder, '.git/objects')}\n`);
    await expect(ask(borrowing, { type: 'show', ref: id })).rejects.toMatchObject({ code: 'not-found' });

    const pointing = realRepository();
    rmSync(join(pointing.folder, '.git'), { recursive: true });
    writeFileSync(join(pointing.folder, '.git'), `gitdir: ${join(secret.folder, '.git')}\n`);
    await expect(ask(pointing, log)).rejects.toMatchObject({ code: 'refused' });

    const linked = realRepository();
    renameSync(join(linked.folder, '.git'), `${linked.folder}-data`);
    symlinkSync(join(secret.folder, '.git'), join(linked.folder, '.git'));
    await expect(ask(linked, log)).rejects.toMatchObject({ code: 'refused' });
  });

  // Catches: a folder that is checked, and then opened again by its path.
  it('is not followed to another place while it is open', async () => {
    const repo = realRepository();
    repo.write('a', 'x\n');
    repo.commit('one');
    const other = realRepository();
    const { signal } = new AbortController();
    await withRepository(repo.folder, { signal, canWrite: true }, async ({ files }) => {
      expect(String(await files.readFile('/git/HEAD', 'utf8'))).toContain('main');
      renameSync(join(repo.folder, '.git'), `${repo.folder}-data`);
      symlinkSync(join(other.folder, '.git'), join(repo.folder, '.git'));
      await expect(files.readFile('/git/HEAD', 'utf8')).rejects.toMatchObject({ code: 'ENOENT' });
      await expect(files.writeFile('/git/refs/heads/evil', 'x')).rejects.toMatchObject({ code: 'ENOENT' });
    });
  });

  it('shows a link as its target, and nothing behind it', async () => {
    const repo = realRepository();
    repo.write('a', 'x\n');
    repo.commit('one');
    rmSync(join(repo.folder, 'a'));
    symlinkSync('/etc/hostname', join(repo.folder, 'a'));
    expect((await ask(repo, diff)).files[0]?.text).toContain('+/etc/hostname');
  });

  it('runs nothing that its settings name', async () => {
    const repo = realRepository();
    repo.write('a', 'x\n');
    repo.write('.gitattributes', '* filter=evil diff=evil\n');
    repo.commit('one');
    const mark = join(repo.folder, 'ran');
    for (const key of ['core.fsmonitor', 'core.pager', 'filter.evil.clean', 'diff.evil.textconv', 'diff.external'])
      repo.git('config', key, `touch ${mark}`);
    repo.write('a', 'y\n');
    const { entries } = await ask(repo, { type: 'status' });
    await ask(repo, diff);
    expect(entries.map(({ path }) => path)).toEqual(['a']);
  });

  it.each([
    ['an index that is cut off', '.git/index', (bytes: Buffer) => bytes.subarray(0, 40)],
    ['an index of zeros', '.git/index', () => Buffer.alloc(200)],
  ])('with %s is reported with what to do', async (_, path, damage) => {
    const repo = realRepository();
    repo.write('a', '1');
    repo.commit('one');
    writeFileSync(join(repo.folder, path), damage(readFileSync(join(repo.folder, path))));
    await expect(ask(repo, { type: 'status' })).rejects.toMatchObject({ code: 'bad-input', hint: expect.any(String) });
  });

  it('with a damaged object is reported with what to do', async () => {
    const repo = realRepository();
    repo.write('a', '1');
    const id = repo.commit('one');
    const file = join(repo.folder, '.git/objects', id.slice(0, 2), id.slice(2));
    rmSync(file);
    writeFileSync(file, 'no object');
    await expect(ask(repo, log)).rejects.toMatchObject({ code: 'bad-input', hint: 'See what is damaged: git fsck' });
  });

  it.each([
    [
      'sha256',
      (repo: RealRepository) =>
        appendFileSync(join(repo.folder, '.git/config'), '[extensions]\n\tobjectformat = sha256\n'),
    ],
    ['newer form', (repo: RealRepository) => repo.git('update-index', '--index-version', '4')],
    ['form', (repo: RealRepository) => repo.git('update-index', '--split-index')],
  ])('in a form that cannot be read (%s) says so', async (words, change) => {
    const repo = realRepository();
    repo.write('a', '1');
    repo.commit('one');
    change(repo);
    await expect(ask(repo, { type: 'status' })).rejects.toMatchObject({
      code: 'bad-input',
      hint: expect.stringMatching(/./u),
    });
    expect(words).not.toBe('');
  });

  it('stops when nobody waits any more', async () => {
    const repo = realRepository();
    repo.write('a', '1');
    repo.commit('one');
    await expect(ask(repo, log, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('that is none says so', async () => {
    const repo = realRepository();
    rmSync(join(repo.folder, '.git'), { recursive: true });
    await expect(ask(repo, log)).rejects.toMatchObject({ code: 'not-found' });
  });
});
