import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isWithoutGit } from '../../fakes/git-here.ts';
import { pullScene } from '../../fakes/pull-scene.ts';
import { gitEnvironment, realRepository } from '../../fakes/real-repository.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

const signal = new AbortController().signal;

/** A checkout that somebody made in an odd way, at the first of two commits, with the host as its remote. */
async function scene(make: (from: string, into: string) => void) {
  const made = await pullScene();
  open.push(made.host);
  const folder = join(mkdtempSync(join(tmpdir(), 'dewpoint-odd-')), 'app');
  make(made.mine.folder, folder);
  const git = (...words: readonly string[]): string =>
    execFileSync('git', ['-C', folder, ...words], { encoding: 'utf8', env: gitEnvironment }).trim();
  git('remote', 'set-url', 'origin', `${made.host.origin}/ada/app.git`);
  git('fetch', '-q', made.host.folder, 'main:refs/remotes/origin/main');
  made.other.write('a.txt', 'two\n');
  const to = made.push('two');
  return { ...made, folder, git, to };
}

const run = (...words: readonly string[]): void => void execFileSync('git', words, { env: gitEnvironment });

describe.skipIf(isWithoutGit)('a checkout that was made in an odd way', () => {
  it.each<[string, (from: string, into: string) => void]>([
    ['borrows its objects', (from, into) => run('clone', '-q', '-s', from, into)],
    [
      'has all packed, branches too',
      (from, into) => {
        run('clone', '-q', from, into);
        run('-C', into, 'gc', '-q');
        run('-C', into, 'pack-refs', '--all');
      },
    ],
    ['has no contents of old files', (from, into) => run('clone', '-q', '--filter=blob:none', `file://${from}`, into)],
    ['has its .git elsewhere', (from, into) => run('clone', '-q', `--separate-git-dir=${into}.git`, from, into)],
    [
      'has settings that name programs and a proxy',
      (from, into) => {
        run('clone', '-q', from, into);
        const lines = [
          `[core]\n\tfsmonitor = ${into}.sh\n\tsshCommand = touch never\n\thooksPath = hooks`,
          '[http]\n\tcorsProxy = http://127.0.0.1:1\n\tproxy = http://127.0.0.1:1',
          '[filter "x"]\n\tclean = touch never\n\tsmudge = touch never',
        ];
        writeFileSync(`${into}.sh`, '#!/bin/sh\ntouch never\n', { mode: 0o755 });
        appendFileSync(join(into, '.git/config'), `${lines.join('\n')}\n`);
        writeFileSync(join(into, '.git/hooks/post-merge'), '#!/bin/sh\ntouch never\n', { mode: 0o755 });
      },
    ],
  ])('is brought up to date, or says why not, when it %s', async (what, make) => {
    const { pull, folder, git, to } = await scene(make);
    const before = git('rev-parse', 'HEAD');
    // Git itself runs what the settings name.
    rmSync(join(folder, 'never'), { force: true });
    const ended = await pull({ projectPath: folder }).then(
      (made) => made.to,
      (error: unknown) => error,
    );
    expect(existsSync(join(folder, 'never'))).toBe(false);
    const at = git('rev-parse', 'HEAD');
    if (ended === to) expect([at, git('-c', 'core.fsmonitor=false', 'status', '--porcelain')]).toEqual([to, '']);
    else {
      expect(what).toBe('has its .git elsewhere');
      expect(ended).toMatchObject({ name: 'AppError', message: expect.stringContaining('.git points to a folder') });
      expect(at).toBe(before);
    }
  });

  it('is brought up to date as a submodule, without its parent', async () => {
    const made = await pullScene();
    open.push(made.host);
    const parent = realRepository();
    run('-C', parent.folder, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', made.mine.folder, 'sub');
    parent.commit('with a submodule');
    const folder = join(parent.folder, 'sub');
    run('-C', folder, 'remote', 'set-url', 'origin', `${made.host.origin}/ada/app.git`);
    made.other.write('a.txt', 'two\n');
    const to = made.push('two');
    expect(await made.pull({ projectPath: folder })).toMatchObject({ to, folder });
    expect(parent.git('status', '--porcelain')).toBe('M sub'.padStart(6));
  });

  it('keeps your own branches when the remote is set to write over them', async () => {
    const { pull, mine, git, other, push } = await pullScene().then((made) => (open.push(made.host), made));
    git('config', 'remote.origin.fetch', '+refs/heads/*:refs/heads/*');
    const before = git('for-each-ref');
    other.write('a.txt', 'two\n');
    push('two');
    await expect(pull({ projectPath: mine.folder })).rejects.toMatchObject({
      message: expect.stringContaining('write over your own branches'),
    });
    expect([git('for-each-ref'), git('status', '--porcelain')]).toEqual([before, '']);
  });

  it('says of each form that Dewpoint cannot read what it is, whatever is asked', async () => {
    const { commands, mine, pull, git } = await pullScene().then((made) => (open.push(made.host), made));
    const bare = mkdtempSync(join(tmpdir(), 'dewpoint-bare-'));
    run('init', '-q', '--bare', bare);
    const sha256 = mkdtempSync(join(tmpdir(), 'dewpoint-sha-'));
    run('init', '-q', '--object-format=sha256', sha256);
    for (const [projectPath, sentence] of [
      [bare, /is a bare repository/u],
      [sha256, /named by sha256/u],
    ] as const) {
      const refused = { name: 'AppError', message: expect.stringMatching(sentence), hint: expect.anything() };
      await expect(pull({ projectPath })).rejects.toMatchObject(refused);
      const push = commands.planPush({ input: { projectPath, branch: null, remote: null }, signal });
      await expect(push).rejects.toMatchObject(refused);
      for (const ask of [{ type: 'status' }, { type: 'branches' }, { type: 'log', limit: 1 }] as const)
        await expect(commands.read({ input: { projectPath, ask }, signal })).rejects.toMatchObject(refused);
    }
    git('update-index', '--index-version', '4');
    await expect(pull()).rejects.toMatchObject({
      message: expect.stringContaining('a form that Dewpoint cannot read'),
    });
    git('update-index', '--index-version', '2');
    rmSync(join(mine.folder, '.git/index'));
    await expect(pull()).resolves.toMatchObject({ files: 0 });
  });
});
