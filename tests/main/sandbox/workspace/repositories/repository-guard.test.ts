import { execFileSync } from 'node:child_process';
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { seenName } from '../../../../../src/shared/text/seen-text.ts';
import type { UntrackedPlace } from '../../../../../src/shared/events/sandbox-events.ts';
import { moveGuardRecords } from '../../../../../src/main/sandbox/workspace/repositories/guard-record.ts';
import { RepositoryGuard, restAfter } from '../../../../../src/main/sandbox/workspace/repositories/repository-guard.ts';
import { namedByConfig } from '../../../../../src/main/sandbox/workspace/repositories/named-by-config.ts';
import { asNobody } from '../../../../fakes/as-nobody.ts';
import { isWithoutGit } from '../../../../fakes/git-here.ts';

const none = new AbortController().signal;

describe('the watch over git repositories', () => {
  let base: string;
  let work: string;
  let guard: RepositoryGuard | null;
  let left: UntrackedPlace[];
  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-guard-')));
    work = join(base, 'work');
    await mkdir(work);
    left = [];
    guard = null;
  });
  afterEach(async () => {
    await guard?.dispose();
    await chmod(base, 0o755);
    await rm(base, { recursive: true });
  });

  const start = async (sessionId = 's1', options: { readonly mostFolders?: number } = {}): Promise<RepositoryGuard> => {
    guard = await RepositoryGuard.start(
      {
        ...options,
        workspacePath: work,
        homePath: join(base, 'home'),
        sessionId,
        onUntracked: (places) => void left.push(...places),
      },
      none,
    );
    return guard;
  };
  const put = async (path: string, text = ''): Promise<void> => {
    await mkdir(dirname(join(work, path)), { recursive: true });
    await writeFile(join(work, path), text);
  };
  const text = (path: string): Promise<string | null> => readFile(join(work, path), 'utf8').catch(() => null);
  const repository = async (path: string, config = plain): Promise<void> => {
    await put(join(path, 'HEAD'), 'ref: refs/heads/main\n');
    await put(join(path, 'config'), config);
    await mkdir(join(work, path, 'objects'), { recursive: true });
    await mkdir(join(work, path, 'refs'), { recursive: true });
  };
  const git = (cwd: string, ...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: join(work, cwd),
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: base, GIT_CONFIG_NOSYSTEM: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  const evil = '[core]\n\tbare = false\n\tfsmonitor = /evil\n\tpager = less\n';
  const outcomes = (): string[] => left.map(({ path, done }) => `${path}: ${done ?? 'nothing had to be done'}`);

  it.skipIf(isWithoutGit)(
    'keeps a git status of the person from running what a command put into a nested repository',
    async () => {
      git('', 'init', '-q');
      git('', 'commit', '-q', '--allow-empty', '-m', 'first');
      const found = await start();
      git('', 'init', '-q', 'lib/dep');
      git('lib/dep', 'commit', '-q', '--allow-empty', '-m', 'x');
      git('', 'add', 'lib/dep');
      await put('evil.sh', `#!/bin/sh\ntouch ${base}/ran\n`);
      await chmod(join(work, 'evil.sh'), 0o755);
      git('lib/dep', 'config', 'core.fsmonitor', join(work, 'evil.sh'));
      await found.look();
      git('', 'status');
      git('', 'diff');
      git('lib/dep', 'status');
      expect(await readdir(base)).not.toContain('ran');
      expect(left).toEqual([
        { path: 'lib/dep/.git', why: expect.stringContaining('git'), done: 'settings removed: core.fsmonitor' },
      ]);
      expect(found.own.data).toEqual(['.git']);
    },
  );

  it('leaves alone what was there when the session began', async () => {
    await repository('.git', evil);
    await repository('lib/dep/.git', evil);
    await put('sub/.git', 'gitdir: ../.git/modules/sub\n');
    await repository('.git/modules/sub', evil);
    await put('.git/hooks/pre-commit', '#!/bin/sh');
    const found = await start();
    await found.look();
    await put('.git/index', 'x');
    await found.look();
    expect(left).toEqual([]);
    expect(found.own).toEqual({ data: ['.git', '.git/modules/sub', 'lib/dep/.git'], pointers: ['sub/.git'] });
    expect([await text('.git/config'), await text('.git/hooks/pre-commit')]).toEqual([evil, '#!/bin/sh']);
  });

  it.each([
    ['nested', 'lib/dep/.git'],
    ['at the top', '.git'],
    ['bare', 'data/bare'],
    ['bare, at the top itself', '.'],
    ['among packages', 'node_modules/a/b/.git'],
    ['in an environment', '.venv/src/x/.git'],
    ['deep', `${'d/'.repeat(300)}.git`],
    ['of a submodule', '.git/modules/x'],
    ['among objects', '.git/objects/aa/x'],
    ['in a folder with an odd name', '\u202e\n x/.git'],
  ])('removes programs from a new repository: %s', async (_name, path) => {
    const found = await start();
    await repository(path, evil);
    await put(join(path, 'hooks/pre-commit'), '#!/bin/sh');
    await put(join(path, 'hooks/pre-push.sample'), '#!/bin/sh');
    await found.look();
    expect(await text(join(path, 'config'))).toBe('[core]\n\tbare = false\n');
    expect(await readdir(join(work, path, 'hooks'))).toEqual(['pre-push.sample']);
    expect(left).toEqual([
      {
        path: seenName(path),
        why: expect.stringContaining('git'),
        done: 'settings removed: core.fsmonitor, core.pager; hooks removed: pre-commit',
      },
    ]);
    const kept = join(base, 'home/sandbox/taken-away/s1');
    const copies = await Promise.all((await readdir(kept)).map((name) => readFile(join(kept, name), 'utf8')));
    expect(copies.sort()).toEqual(['#!/bin/sh', evil]);
  });

  it('finds a repository in a folder whose name is no valid text', async () => {
    const found = await start();
    const odd = Buffer.concat([Buffer.from(`${work}/`), Buffer.from([0xff, 0xfe])]);
    await mkdir(odd);
    await repository('plain', evil);
    await rename(join(work, 'plain'), Buffer.concat([odd, Buffer.from('/.git')]));
    await found.look();
    const config = await readFile(Buffer.concat([odd, Buffer.from('/.git/config')]), 'utf8');
    expect(config).toBe('[core]\n\tbare = false\n');
    expect(left).toHaveLength(1);
  });

  it('removes programs again when a later command puts them back', async () => {
    const found = await start();
    await repository('x/.git');
    await found.look();
    expect(left).toEqual([{ path: 'x/.git', why: expect.any(String), done: null }]);
    await writeFile(join(work, 'x/.git/config'), evil);
    await found.look();
    await writeFile(join(work, 'x/.git/config'), evil);
    await put('x/.git/hooks/post-checkout', 'x');
    await found.look();
    expect(await text('x/.git/config')).toBe('[core]\n\tbare = false\n');
    expect(outcomes()).toEqual([
      'x/.git: nothing had to be done',
      'x/.git: settings removed: core.fsmonitor, core.pager',
      'x/.git: settings removed: core.fsmonitor, core.pager; hooks removed: post-checkout',
    ]);
  });

  it('finds a repository that is built in several steps or replaces a folder', async () => {
    await put('a/keep', '');
    const found = await start();
    await put('a/config', evil);
    await found.look();
    await put('a/HEAD', 'ref: refs/heads/main');
    await mkdir(join(work, 'a/objects'));
    await found.look();
    expect(left).toEqual([]);
    await mkdir(join(work, 'a/refs'));
    await found.look();
    expect(await text('a/config')).not.toContain('fsmonitor');
    await repository('b/inner', evil);
    await rename(join(work, 'a'), join(work, 'c'));
    await rename(join(work, 'b'), join(work, 'a'));
    await found.look();
    expect(await text('a/inner/config')).not.toContain('fsmonitor');
  });

  it('empties what git reads when it is a link or too large', async () => {
    const found = await start();
    await put('evil.cfg', evil);
    for (const name of ['link', 'large', 'hooks-link']) await repository(`${name}/.git`);
    await rm(join(work, 'link/.git/config'));
    await symlink('../../evil.cfg', join(work, 'link/.git/config'));
    await writeFile(join(work, 'large/.git/config'), evil + '#'.repeat(300_000));
    await symlink('../../evil-hooks', join(work, 'hooks-link/.git/hooks'));
    await found.look();
    expect([await text('link/.git/config'), await text('large/.git/config')]).toEqual([null, null]);
    expect(await readdir(join(work, 'hooks-link/.git'))).not.toContain('hooks');
    expect(await text('evil.cfg')).toBe(evil);
    expect(outcomes().sort()).toEqual([
      'hooks-link/.git: hooks removed',
      'large/.git: config removed',
      'link/.git: config removed',
    ]);
  });

  it("removes redirections of git from a new repository and from the person's own", async () => {
    await repository('.git');
    await put('.git/info/exclude', '');
    const found = await start();
    await repository('new/.git');
    for (const top of ['.git', 'new/.git']) {
      await put(`${top}/commondir`, '../evil');
      await put(`${top}/config.worktree`, evil);
      await put(`${top}/info/attributes`, '* filter=x');
      await put(`${top}/objects/info/alternates`, '/elsewhere');
      await put(`${top}/remotes/origin`, 'URL: ext::evil');
      await put(`${top}/branches/origin`, 'ext::evil');
      await put(`${top}/rebase-merge/git-rebase-todo`, 'pick 1\nexec evil\nx evil\n');
    }
    await found.look();
    const done = [
      'config.worktree removed',
      'commondir removed',
      'info/attributes removed',
      'objects/info/alternates removed',
      'remotes/ removed: origin',
      'branches/ removed: origin',
      'programs removed from an unfinished rebase',
    ];
    for (const top of ['.git', 'new/.git']) {
      // The file system may report the first change while the others are still being written.
      const told = left.flatMap(({ path, done: text }) => (path === top && text ? text.split('; ') : []));
      expect(told.sort()).toEqual([...done].sort());
    }
    for (const top of ['.git', 'new/.git']) expect(await text(`${top}/rebase-merge/git-rebase-todo`)).toBe('pick 1\n');
  });

  it('removes a linked folder of git, but not one that the person had', async () => {
    await repository('.git');
    await repository('mine/.git');
    await put('evil/git-rebase-todo', 'exec evil\n');
    await symlink('../../elsewhere', join(work, 'mine/.git/info'));
    const found = await start();
    await repository('new/.git');
    for (const top of ['.git', 'new/.git']) {
      await symlink(top === '.git' ? '../evil' : '../../evil', join(work, top, 'rebase-merge'));
      await symlink('/elsewhere', join(work, top, 'info'));
      await symlink('/elsewhere', join(work, top, 'objects/info'));
    }
    await found.look();
    for (const top of ['.git', 'new/.git']) {
      const left = await readdir(join(work, top));
      expect(left.filter((name) => name === 'info' || name === 'rebase-merge')).toEqual([]);
      expect(await readdir(join(work, top, 'objects'))).toEqual([]);
    }
    expect(await readdir(join(work, 'mine/.git'))).toContain('info');
    expect(await text('evil/git-rebase-todo')).toBe('exec evil\n');
  });

  it("keeps the commands of the person's rebase, and removes added ones", async () => {
    await repository('.git');
    await put('.git/rebase-merge/git-rebase-todo', 'pick 1\nexec npm test\n');
    const found = await start();
    await put('.git/rebase-merge/git-rebase-todo', 'exec npm test\nexec evil\n');
    // That does not change the folder. A file that git writes beside it does.
    await put('.git/rebase-merge/done', '');
    await found.look();
    expect(await text('.git/rebase-merge/git-rebase-todo')).toBe('exec npm test\n');
  });

  it('keeps worktrees and submodules that git made, and removes links that lead elsewhere', async () => {
    await repository('.git');
    const found = await start();
    await repository('.git/modules/sub');
    await put('sub/.git', 'gitdir: ../.git/modules/sub\n');
    await put('.git/worktrees/w/HEAD', 'ref: refs/heads/w');
    await put('.git/worktrees/w/commondir', '../..\n');
    await put('w/.git', 'gitdir: /workspace/.git/worktrees/w\n');
    await put('other/.git', `gitdir: ${base}/other\n`);
    await put('up/.git', 'gitdir: ../../other\n');
    await put('odd/.git', 'gitdir: ../.git/modules/sub\ngitdir: /evil\n');
    await mkdir(join(work, 'linked'));
    await symlink('../data', join(work, 'linked/.git'));
    // Git does not trim blanks: this is a folder named ".. ".
    await put('.git/worktrees/u/HEAD', 'ref: refs/heads/u');
    await put('.git/worktrees/u/commondir', '../.. \n');
    await put('blank/.git', 'gitdir:  ../.git/modules/sub\n');
    await put('.git/worktrees/v/HEAD', 'ref: refs/heads/v');
    await put('.git/worktrees/v/commondir', '../../../evil\n');
    await found.look();
    expect(await text('sub/.git')).not.toBeNull();
    expect(await text('w/.git')).not.toBeNull();
    expect(await text('.git/worktrees/w/commondir')).toBe('../..\n');
    expect(await text('.git/worktrees/v/commondir')).toBeNull();
    expect(await text('.git/worktrees/u/commondir')).toBeNull();
    for (const path of ['other/.git', 'up/.git', 'odd/.git', 'blank/.git']) expect(await text(path)).toBeNull();
    expect(await readdir(join(work, 'linked'))).toEqual([]);
  });

  it("keeps a submodule's work tree, but not one that a link sends elsewhere", async () => {
    await repository('.git');
    const found = await start();
    await mkdir(join(work, 'sub'));
    await symlink(base, join(work, 'link'));
    await repository('.git/modules/sub', '[core]\n\tworktree = ../../../sub\n');
    await repository('.git/modules/link', '[core]\n\tworktree = ../../../link\n');
    await found.look();
    expect(outcomes().sort()).toEqual([
      '.git/modules/link: settings removed: core.worktree',
      '.git/modules/sub: nothing had to be done',
    ]);
    await rm(join(work, 'sub'), { recursive: true });
    await symlink(base, join(work, 'sub'));
    await found.look();
    expect(await text('.git/modules/sub/config')).toBe('');
  });

  it('reports changed files that git settings name', async () => {
    await repository('.git', '[include]\n\tpath = ../.gitconfig-team\n[alias]\n\tship = !./tools/ship.sh now\n');
    await put('tools/ship.sh', '');
    const found = await start();
    await found.look();
    expect(left).toEqual([]);
    await put('.gitconfig-team', evil);
    await put('tools/ship.sh', 'evil');
    await found.look();
    expect(left.map(({ path }) => path).sort()).toEqual(['.gitconfig-team', 'tools/ship.sh']);
  });

  it('reports changed packages at the end of a turn', async () => {
    await put('node_modules/a/index.js', 'a');
    await put('node_modules/a/other.js', 'a');
    await put('venv/pyvenv.cfg', '');
    await put('venv/bin/activate', '');
    await put('env/plain', '');
    await put('src/a.js', '');
    await new Promise((resolve) => setTimeout(resolve, 40));
    const found = await start();
    const over = found.whileRunning();
    await writeFile(join(work, 'node_modules/a/index.js'), 'b');
    await writeFile(join(work, 'venv/bin/activate'), 'b');
    await writeFile(join(work, 'env/plain'), 'b');
    await writeFile(join(work, 'src/a.js'), 'b');
    await put('pkg/__pycache__/x.pyc', 'b');
    over();
    await found.settle(none);
    expect(left.map(({ path }) => path).sort()).toEqual(['node_modules', 'pkg/__pycache__', 'venv']);
    expect(left.find(({ path }) => path === 'node_modules')?.why).toContain('1 file changed: node_modules/a/index.js');
    await found.settle(none);
    expect(left).toHaveLength(3);
  });

  /** Catches: a change among packages that is never told, because the clock was put back between two looks. */
  it('reports changed packages after the clock was set back', async () => {
    await put('node_modules/a/index.js', 'a');
    await new Promise((resolve) => setTimeout(resolve, 40));
    const now = Date.now.bind(Date);
    const ahead = vi.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000);
    try {
      const found = await start();
      const over = found.whileRunning();
      ahead.mockRestore();
      await writeFile(join(work, 'node_modules/a/index.js'), 'b');
      over();
      await found.settle(none);
    } finally {
      ahead.mockRestore();
    }
    expect(left.map(({ path }) => path)).toEqual(['node_modules']);
  });

  it('looks by itself while a command runs', async () => {
    const found = await start();
    const over = found.whileRunning();
    await repository('x/.git', evil);
    await expect.poll(() => text('x/.git/config')).toBe('[core]\n\tbare = false\n');
    over();
  });

  /** The state after a kill: nobody looked, and the record has the number of a process that no longer exists. */
  const kill = async (agoMs = 0): Promise<string> => {
    await repository('.git', evil);
    await start('killed');
    await repository('lib/.git', evil);
    const folder = join(base, 'home/sandbox/repositories');
    const [name = ''] = await readdir(folder);
    const [file = ''] = await readdir(join(folder, name));
    const path = join(folder, name, file);
    const record: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof record !== 'object' || record === null) throw new Error('There is no record.');
    const owner = { pid: 2 ** 22 - 1, startedAt: '1', boot: 'b' };
    const { mtimeMs } = await stat(path);
    const earlier = agoMs === 0 ? {} : { startedMs: mtimeMs - 2 * agoMs };
    await writeFile(path, JSON.stringify({ ...record, ...earlier, owner }));
    await utimes(path, new Date(mtimeMs - agoMs), new Date(mtimeMs - agoMs));
    return join(folder, name);
  };

  it("does not count what a killed session left as the person's own", async () => {
    const records = await kill();
    const next = await start('next');
    expect(next.own.data).toEqual(['.git']);
    expect(await text('lib/.git/config')).toBe('[core]\n\tbare = false\n');
    expect(outcomes()).toEqual(['lib/.git: settings removed: core.fsmonitor, core.pager']);
    expect(await readdir(records)).toHaveLength(1);
  });

  it.each([
    ['moved', 0, rename],
    [
      'copied',
      3_600_000,
      (old: string, next: string) => cp(old, next, { recursive: true }).then(() => rm(old, { recursive: true })),
    ],
  ])('does not count it either after the folder was %s elsewhere', async (_how, agoMs, move) => {
    const records = await kill(agoMs);
    const old = work;
    work = join(base, 'elsewhere');
    await move(old, work);
    await moveGuardRecords(join(base, 'home'), old, work);
    await moveGuardRecords(join(base, 'home'), old, work);
    expect(await readdir(records)).toEqual([]);
    const next = await start('next');
    expect(next.own.data).toEqual(['.git']);
    expect(await text('lib/.git/config')).toBe('[core]\n\tbare = false\n');
  });

  it("does not count what commands of a parallel session made as the person's own", async () => {
    const first = await start('first');
    await repository('lib/.git');
    const second = await start('second');
    expect(second.own.data).toEqual([]);
    await second.dispose();
    await first.dispose();
    expect((await start('third')).own.data).toEqual(['lib/.git']);
  });

  const makeFolders = async (count: number): Promise<void> => {
    for (let at = 0; at < count; at += 1) await mkdir(join(work, `many/${at}/in`), { recursive: true });
  };

  it('still sees every repository above its limit of folders, and stops commands until there is room', async () => {
    const found = await start('s1', { mostFolders: 40 });
    expect(await found.admit()).toEqual({ ok: true, value: undefined });
    await makeFolders(60);
    await found.look();
    expect(left).toEqual([{ path: '.', why: 'it has more folders than can be checked', done: null }]);
    // Each of the following looks sees what is new, although none of these folders can be remembered.
    await repository('lib/dep/.git', evil);
    await repository('many/59/in/.git', evil);
    await found.look();
    expect([await text('lib/dep/.git/config'), await text('many/59/in/.git/config')]).toEqual([harmless, harmless]);
    await put('many/59/in/.git/config', evil);
    expect(await found.admit()).toMatchObject({ ok: false, error: { code: 'refused' } });
    expect(await text('many/59/in/.git/config')).toBe(harmless);
    await put('lib/dep/.git/config', evil);
    await rm(join(work, 'many'), { recursive: true });
    expect(await found.admit()).toMatchObject({ ok: true });
    expect(await text('lib/dep/.git/config')).toBe(harmless);
    expect(outcomes().slice(1)).toEqual([
      'lib/dep/.git: settings removed: core.fsmonitor, core.pager',
      'many/59/in/.git: settings removed: core.fsmonitor, core.pager',
    ]);
  });

  it("does not count what was made during an incomplete check as the person's own", async () => {
    const first = await start('first', { mostFolders: 40 });
    await makeFolders(60);
    await repository('lib/dep/.git');
    await first.dispose();
    await rm(join(work, 'many'), { recursive: true });
    // The state that a session leaves which did not get to look again.
    await put('lib/dep/.git/config', evil);
    const next = await start('next');
    expect(next.own.data).toEqual([]);
    expect(await text('lib/dep/.git/config')).toBe(harmless);
    await next.dispose();
    expect((await start('third')).own.data).toEqual(['lib/dep/.git']);
  });

  /** Catches: settings that are taken out of a repository of the person, whose disk was away for a moment. */
  it('still knows what the person had after the whole workspace went away and came back', async () => {
    await repository('.git', evil);
    await repository('lib/dep/.git', evil);
    const found = await start();
    await rename(work, `${work}.away`);
    await found.look();
    await found.look();
    await rename(`${work}.away`, work);
    await repository('new/.git', evil);
    await found.look();
    expect(found.own.data).toEqual(['.git', 'lib/dep/.git']);
    expect([await text('.git/config'), await text('lib/dep/.git/config')]).toEqual([evil, evil]);
    expect(outcomes()).toEqual(['new/.git: settings removed: core.fsmonitor, core.pager']);
  });

  it('stops commands when a look fails, until one succeeds', async () => {
    const found = await start();
    const stop = found.alsoCheck(() => Promise.reject(new Error('the disk does not answer')));
    await found.look();
    const stopped = await found.admit();
    stop();
    expect([stopped.ok, await found.admit()]).toEqual([false, { ok: true, value: undefined }]);
  });

  it('finds a repository in any spelling that some disk accepts', async () => {
    const found = await start();
    await put('bare/HEAD', 'ref: refs/heads/main\n');
    await put('bare/config', evil);
    await mkdir(join(work, 'bare/object\u017f'));
    await mkdir(join(work, 'bare/re\u200bf\u017f'));
    await found.look();
    expect(outcomes()).toEqual(['bare: settings removed: core.fsmonitor, core.pager']);
  });

  it("reports hooks in the project that the person's git settings use for all repositories", async () => {
    const before = process.env['GIT_CONFIG_GLOBAL'];
    process.env['GIT_CONFIG_GLOBAL'] = join(base, 'gitconfig');
    try {
      await writeFile(join(base, 'gitconfig'), `[include]\n\tpath = more\n[init]\n\tdefaultBranch = src\n`);
      await writeFile(join(base, 'more'), `[core]\n\thooksPath = ./.company\n\tfsmonitor = tools/watch\n`);
      await repository('.git');
      await put('src/a.ts');
      await put('tools/watch');
      const found = await start();
      const named = await namedByConfig(work, '.git');
      expect(named).toContainEqual({ path: '.company', isPinned: false });
      expect(named).toContainEqual({ path: 'tools/watch', isPinned: true });
      expect(named.filter(({ path }) => path === 'src')).toEqual([]);
      await repository('lib/.git');
      await put('lib/.company/pre-commit', '#!/bin/sh');
      await put('.company/pre-commit', '#!/bin/sh');
      await found.look();
      const told = left.filter(({ why }) => why === 'your git settings in this project name it');
      expect(told.map(({ path }) => path).sort()).toEqual(['.company', 'lib/.company']);
    } finally {
      if (before === undefined) delete process.env['GIT_CONFIG_GLOBAL'];
      else process.env['GIT_CONFIG_GLOBAL'] = before;
    }
  });

  it('waits only a limited time between two looks', () => {
    expect([0, 5, 20, 4_700, 60_000].map(restAfter)).toEqual([250, 250, 800, 5_000, 5_000]);
  });

  it('opens folders that a command locked, but not those that were locked from the start', async () => {
    await repository('mine/.git', evil);
    await mkdir(join(base, 'home'));
    const everything = [
      '',
      'work',
      'work/mine',
      'work/mine/.git',
      'work/mine/.git/objects',
      'work/mine/.git/refs',
      'home',
    ];
    if (process.getuid?.() === 0) for (const path of everything) await chown(join(base, path), 65_534, 65_534);
    await asNobody(async () => {
      await chmod(join(work, 'mine'), 0o311);
      const found = await start();
      await found.look();
      expect(left).toEqual([]);
      await repository('x/.git', evil);
      await chmod(join(work, 'x'), 0o311);
      await found.look();
      expect(await text('x/.git/config')).toBe('[core]\n\tbare = false\n');
      await found.dispose();
    });
    expect((await stat(join(work, 'mine'))).mode & 0o777).toBe(0o311);
  });
});

const harmless = '[core]\n\tbare = false\n';
const plain = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n';
