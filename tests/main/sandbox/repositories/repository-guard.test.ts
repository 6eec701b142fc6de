import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UntrackedPlace } from '../../../../src/shared/sandbox-events.ts';
import { RepositoryGuard } from '../../../../src/main/sandbox/repositories/repository-guard.ts';
import { silentLog } from '../../../../src/main/lib/log.ts';

const none = new AbortController().signal;

describe('the guard over repositories', () => {
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

  const start = async (sessionId = 's1'): Promise<RepositoryGuard> => {
    guard = await RepositoryGuard.start(
      {
        workspacePath: work,
        homePath: join(base, 'home'),
        sessionId,
        onUntracked: (places) => void left.push(...places),
        log: silentLog,
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

  it('lets a plain status of the person run nothing that a command put into a nested repository', async () => {
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
      { path: 'lib/dep/.git', why: expect.stringContaining('git'), done: 'settings taken out: core.fsmonitor' },
    ]);
    expect(found.own.data).toEqual(['.git']);
  });
});

const plain = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n';
