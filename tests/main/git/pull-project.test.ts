import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isWithoutGit } from '../../fakes/git-here.ts';
import { allFiles, leftIn, pullScene } from '../../fakes/pull-scene.ts';
import { gitEnvironment, type RealRepository } from '../../fakes/real-repository.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

const scene = async (fill?: Parameters<typeof pullScene>[0]): ReturnType<typeof pullScene> => {
  const made = await pullScene(fill);
  open.push(made.host);
  return made;
};

describe.skipIf(isWithoutGit)('a pull', () => {
  it('brings the checkout to where git itself would have it', async () => {
    const { other, mine, git, pull, push, host } = await scene((repo) => {
      repo.write('a.txt', 'one\n');
      repo.write('deep/in/here.txt', 'two\n');
      repo.write('gone.txt', 'x');
      repo.write('folder/x', 'x');
      repo.write('file', 'x');
      repo.write('run.sh', '#!/bin/sh\n');
      symlinkSync('a.txt', join(repo.folder, 'link'));
      repo.commit('one');
    });
    other.write('a.txt', 'two\n');
    other.write('new/in/a/folder.txt', 'x');
    other.write('names with ü', 'x');
    rmSync(join(other.folder, 'gone.txt'));
    rmSync(join(other.folder, 'deep'), { recursive: true });
    rmSync(join(other.folder, 'folder'), { recursive: true });
    other.write('folder', 'now a file');
    rmSync(join(other.folder, 'file'));
    other.write('file/inner', 'now a folder');
    chmodSync(join(other.folder, 'run.sh'), 0o755);
    rmSync(join(other.folder, 'link'));
    symlinkSync('run.sh', join(other.folder, 'link'));
    const to = push('two');
    mine.write('mine.txt', 'not in git');
    const made = await pull();
    expect(made).toMatchObject({ branch: 'main', remote: 'origin', theirs: 'main', host: host.host, to, notes: [] });
    expect(git('rev-parse', 'HEAD', 'origin/main').split('\n')).toEqual([to, to]);
    expect(git('status', '--porcelain')).toBe('?? mine.txt');
    expect(git('fsck', '--strict', '--no-dangling')).toBe('');
    const { 'mine.txt': own, ...files } = allFiles(mine.folder);
    expect([own, files]).toEqual(['not in git', allFiles(other.folder)]);
    expect(lstatSync(join(mine.folder, 'run.sh')).mode & 0o100).toBe(0o100);
    expect(existsSync(join(mine.folder, 'deep'))).toBe(false);
    expect(leftIn(mine.folder)).toEqual([]);
    expect(made.steps[0]).toMatchObject({ type: 'began', branch: 'main' });
    const again = await pull();
    expect([again.from, again.files]).toEqual([again.to, 0]);
  });

  it('keeps what the person has in other files, staged or not', async () => {
    const { other, mine, git, pull, push } = await scene();
    other.write('new.txt', 'x');
    push('two');
    mine.write('a.txt', 'my own\n');
    mine.write('deep/in/here.txt', 'staged\n');
    git('add', 'deep');
    await pull();
    expect(git('status', '--porcelain')).toBe(' M a.txt\nM  deep/in/here.txt');
    expect(readFileSync(join(mine.folder, 'a.txt'), 'utf8')).toBe('my own\n');
  });

  it('brings nothing when the branch is the same or ahead, and says so', async () => {
    const { mine, pull, git } = await scene();
    expect(await pull()).toMatchObject({ files: 0, notes: [] });
    mine.write('a.txt', 'two\n');
    mine.commit('mine');
    const { files, notes } = await pull();
    expect([files, notes]).toEqual([
      0,
      ['main has commits that origin/main lacks. To send them: dewpoint projects push'],
    ]);
    expect(git('log', '-1', '--format=%s')).toBe('mine');
  });

  it('refuses branches that went apart, and brings the commits for the person to merge', async () => {
    const { other, mine, git, pull, push, state } = await scene();
    other.write('a.txt', 'theirs\n');
    const theirs = push('theirs');
    mine.write('deep/in/here.txt', 'mine\n');
    mine.commit('mine');
    const before = state();
    await expect(pull()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('both have commits that the other lacks'),
      hint: expect.stringContaining('git merge origin/main'),
    });
    expect(state()).toEqual(before);
    expect(git('rev-parse', 'origin/main')).toBe(theirs);
  });

  it.each<[string, (mine: RealRepository) => void, RegExp]>([
    ['changed', (mine) => mine.write('a.txt', 'my own\n'), /a\.txt \(you changed it\)/u],
    ['deleted', (mine) => rmSync(join(mine.folder, 'a.txt')), /a\.txt \(you deleted or renamed it\)/u],
    [
      'staged',
      (mine) => {
        mine.write('a.txt', 'my own\n');
        mine.git('add', 'a.txt');
        mine.write('a.txt', 'one\n');
      },
      /a\.txt \(you staged another form of it\)/u,
    ],
    ['has untracked', (mine) => mine.write('new.txt', 'my own'), /new\.txt \(a file of yours is in its way\)/u],
    [
      'ignores',
      (mine) => {
        writeFileSync(join(mine.folder, '.git/info/exclude'), 'new.txt\n');
        mine.write('new.txt', 'my own');
      },
      /new\.txt \(a file of yours is in its way\)/u,
    ],
    [
      'has a file where a folder has to be, that is',
      (mine) => mine.write('folder', 'my own'),
      /folder\/x \(folder is in its way\)/u,
    ],
    [
      'has a link where a folder has to be, that is',
      (mine) => symlinkSync('deep', join(mine.folder, 'folder')),
      /folder\/x \(folder is in its way\)/u,
    ],
    [
      'made a folder of',
      (mine) => mine.write('new.txt/inner', 'my own'),
      /new\.txt \(new\.txt\/inner is in its way\)/u,
    ],
    ['made runnable', (mine) => chmodSync(join(mine.folder, 'a.txt'), 0o755), /a\.txt \(you changed it\)/u],
  ])('touches nothing when the person %s a file that it would write', async (_, change, sentence) => {
    const { other, mine, pull, push, state } = await scene();
    other.write('a.txt', 'theirs\n');
    other.write('deep/in/here.txt', 'theirs\n');
    other.write('new.txt', 'theirs');
    other.write('folder/x', 'theirs');
    push('two');
    change(mine);
    const before = state();
    await expect(pull()).rejects.toMatchObject({ code: 'conflict', message: expect.stringMatching(sentence) });
    expect(state()).toEqual(before);
    expect(leftIn(mine.folder)).toEqual([]);
  });

  it('says of each odd checkout why it cannot be brought up to date', async () => {
    const { mine, git, pull, other, push } = await scene();
    other.write('a.txt', 'two\n');
    push('two');
    const refused = async (sentence: RegExp): Promise<void> => {
      await expect(pull()).rejects.toMatchObject({ message: expect.stringMatching(sentence) });
    };
    git('checkout', '-q', '--detach');
    await refused(/HEAD is detached/u);
    git('checkout', '-q', '-b', 'own', 'main', '--no-track');
    await refused(/follows no branch of a remote/u);
    git('checkout', '-q', '--orphan', 'empty');
    await refused(/has no commits yet/u);
    git('checkout', '-q', '-f', 'main');
    writeFileSync(join(mine.folder, '.git/MERGE_HEAD'), `${git('rev-parse', 'HEAD')}\n`);
    await refused(/in the middle of a merge/u);
    rmSync(join(mine.folder, '.git/MERGE_HEAD'));
    writeFileSync(join(mine.folder, '.git/index.lock'), '');
    await refused(/Another program is changing this checkout/u);
    rmSync(join(mine.folder, '.git/index.lock'));
    git('config', 'core.bare', 'true');
    await refused(/is bare/u);
    git('config', 'core.bare', 'false');
    git('config', 'core.worktree', '/tmp');
    await refused(/in another folder/u);
    git('config', '--unset', 'core.worktree');
    git('sparse-checkout', 'set', 'elsewhere');
    await refused(/sparse checkout/u);
    git('sparse-checkout', 'disable');
    git('remote', 'set-url', 'origin', 'git@example.org:ada/app.git');
    git('remote', 'set-url', 'origin', 'ftp://example.org/ada/app.git');
    await refused(/not reached over HTTPS/u);
    git('remote', 'remove', 'origin');
    await refused(/has no remote/u);
    expect(git('status', '--porcelain')).toBe('');
  });

  it('goes on where a pull that was killed ended, at any point', async () => {
    const { other, mine, git, pull, push } = await scene();
    other.write('a.txt', 'two\n');
    other.write('new.txt', 'x');
    rmSync(join(other.folder, 'deep'), { recursive: true });
    const to = push('two');
    // As it is with one file in place, one set aside, and nobody at work any more.
    const stage = join(mine.folder, '.git/dewpoint-pull-999999999-0123456789ab');
    mkdirSync(stage);
    mine.write('new.txt', 'x');
    renameSync(join(mine.folder, 'a.txt'), join(stage, 'old-7'));
    writeFileSync(join(stage, 'paths.json'), JSON.stringify([[7, 'a.txt', 'x', 'y']]));
    writeFileSync(join(mine.folder, '.git/index.lock'), 'dewpoint-pull 999999999\n');
    expect(await pull()).toMatchObject({ to });
    expect(git('status', '--porcelain')).toBe('');
    expect(git('rev-parse', 'HEAD')).toBe(to);
    expect(leftIn(mine.folder)).toEqual([]);
  });

  it('takes everything back when the branch cannot be moved at the end', async () => {
    const { other, mine, pull, push, state } = await scene();
    other.write('a.txt', 'two\n');
    other.write('new/in/a/folder.txt', 'x');
    rmSync(join(other.folder, 'deep'), { recursive: true });
    other.write('deep', 'now a file');
    push('two');
    const before = state();
    writeFileSync(join(mine.folder, '.git/refs/heads/main.lock'), '');
    await expect(pull()).rejects.toMatchObject({ message: expect.stringContaining('Another program is changing') });
    rmSync(join(mine.folder, '.git/refs/heads/main.lock'));
    expect(state()).toEqual(before);
    expect(existsSync(join(mine.folder, 'new'))).toBe(false);
    expect(leftIn(mine.folder)).toEqual([]);
  });

  it('can be stopped while it receives, and changes nothing then', async () => {
    const { other, mine, pull, push, state } = await scene();
    other.write('a.txt', 'two\n');
    push('two');
    const before = state();
    for (const after of [0, 5, 20, 60]) {
      const stop = new AbortController();
      setTimeout(() => stop.abort(), after);
      const ended = await pull({}, stop.signal).then(
        () => 'done',
        () => 'stopped',
      );
      if (ended === 'done') break;
      expect(state()).toEqual(before);
      expect(leftIn(mine.folder)).toEqual([]);
    }
    await pull();
    expect(readFileSync(join(mine.folder, 'a.txt'), 'utf8')).toBe('two\n');
  });

  it('is not stopped by branches of the remote that took the place of folders of others, or the other way round', async () => {
    const { other, mine, git, pull, push, host } = await scene();
    git('update-ref', 'refs/remotes/origin/old', 'HEAD');
    git('update-ref', 'refs/remotes/origin/topic/x', 'HEAD');
    other.write('a.txt', 'two\n');
    const to = push('two');
    other.git('push', '-q', host.folder, 'HEAD:refs/heads/old/x', 'HEAD:refs/heads/topic', 'HEAD:refs/heads/zebra');
    const { notes } = await pull();
    expect(notes).toEqual([
      'Not noted of origin: old/x, topic. Branches that are gone there have their names. To remove those: git remote prune origin',
    ]);
    expect(git('rev-parse', 'HEAD', 'origin/zebra').split('\n')).toEqual([to, to]);
    expect(git('branch', '-r', '--format', '%(refname)')).not.toContain('tmp_obj');
    git('remote', 'set-url', 'origin', host.folder);
    git('fetch', '-q', '--prune', 'origin');
    expect([git('status', '--porcelain'), git('rev-parse', 'origin/old/x')]).toEqual(['', to]);
    expect(readFileSync(join(mine.folder, 'a.txt'), 'utf8')).toBe('two\n');
  });

  /** Catches: a pull that is said to be stopped while its files are in place. */
  it('ends and says so when it is stopped once it writes files', async () => {
    const { other, mine, pull, push, watch } = await scene();
    other.write('a.txt', 'two\n');
    const to = push('two');
    const stop = new AbortController();
    watch.onJob = (type) => void (type === 'forward' && stop.abort());
    expect(await pull({}, stop.signal)).toMatchObject({ to, files: 1 });
    expect(stop.signal.aborted).toBe(true);
    expect(readFileSync(join(mine.folder, 'a.txt'), 'utf8')).toBe('two\n');
  });

  it('is refused while a turn works in the folder', async () => {
    const { mine, pull, work } = await scene();
    work.push(join(mine.folder, 'deep'));
    const stage = join(mine.folder, '.git/dewpoint-pull-999999999-0123456789ab');
    mkdirSync(stage);
    await expect(pull()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('An agent works'),
    });
    expect(existsSync(stage)).toBe(true);
  });

  it('works in a shallow clone, a linked worktree and a folder of the repository', async () => {
    const { other, mine, git, pull, push, host } = await scene();
    const shallow = mkdtempSync(join(tmpdir(), 'dewpoint-shallow-'));
    execFileSync('git', ['clone', '-q', '--depth', '1', `file://${host.folder}`, shallow], { env: gitEnvironment });
    const inShallow = (...words: readonly string[]): string =>
      execFileSync('git', ['-C', shallow, ...words], { encoding: 'utf8', env: gitEnvironment }).trim();
    inShallow('remote', 'set-url', 'origin', `${host.origin}/ada/app.git`);
    const linked = join(mkdtempSync(join(tmpdir(), 'dewpoint-linked-')), 'tree');
    git('worktree', 'add', '-q', '-b', 'side', linked, 'origin/main');
    git('branch', '-u', 'origin/main', 'side');
    other.write('a.txt', 'two\n');
    const to = push('two');
    expect(await pull({ projectPath: shallow })).toMatchObject({ to, files: 1 });
    expect([inShallow('status', '--porcelain'), inShallow('rev-parse', 'HEAD')]).toEqual(['', to]);
    expect(await pull({ projectPath: linked })).toMatchObject({ to, files: 1, branch: 'side' });
    expect(readFileSync(join(linked, 'a.txt'), 'utf8')).toBe('two\n');
    expect(await pull({ projectPath: join(mine.folder, 'deep/in') })).toMatchObject({ to, folder: mine.folder });
    expect(git('status', '--porcelain')).toBe('');
  });

  it('moves the pointer of a submodule and not its files, and names pointers of Git LFS', async () => {
    const { other, mine, git, pull, host } = await scene((repo) => {
      repo.write('a.txt', 'one');
      repo.git('add', '-A');
      repo.git('update-index', '--add', '--cacheinfo', `160000,${'a'.repeat(40)},lib/inner`);
      repo.git('commit', '-q', '-m', 'one');
    });
    mine.write('lib/inner/work.txt', 'mine');
    other.git('update-index', '--add', '--cacheinfo', `160000,${'b'.repeat(40)},lib/inner`);
    writeFileSync(join(other.folder, 'big.bin'), 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n');
    other.git('add', 'big.bin');
    other.git('commit', '-q', '-m', 'two');
    const to = other.git('rev-parse', 'HEAD');
    other.git('push', '-q', host.folder, 'main');
    expect(await pull()).toMatchObject({
      to,
      notes: [
        '1 file is in Git LFS, and only a pointer is here. To bring the content: git lfs pull',
        '1 submodule is not brought. To bring them: git submodule update --init',
      ],
    });
    expect(git('ls-files', '-s', 'lib/inner')).toContain('b'.repeat(40));
    expect(readFileSync(join(mine.folder, 'lib/inner/work.txt'), 'utf8')).toBe('mine');
  });

  it('leaves a file alone that git keeps in another form, such as the content of Git LFS', async () => {
    const { other, mine, git, pull, push, state } = await scene((repo) => {
      repo.write('.gitattributes', '*.txt text eol=crlf\n');
      repo.write('a.txt', 'one\n');
      repo.commit('one');
    });
    rmSync(join(mine.folder, 'a.txt'));
    git('checkout', '-q', '--', 'a.txt');
    expect(readFileSync(join(mine.folder, 'a.txt'), 'utf8')).toBe('one\r\n');
    other.write('a.txt', 'two\n');
    push('two');
    const before = state();
    await expect(pull()).rejects.toMatchObject({
      message: expect.stringContaining('a.txt (git keeps it in another form here)'),
      hint: expect.stringContaining('git pull'),
    });
    expect(state()).toEqual(before);
  });
});
