import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { claimHome } from '../../../../src/main/server/owner/claim-home.ts';
import { createRouter } from '../../../../src/main/server/router.ts';
import { connectSocket, serveSocket } from '../../../../src/main/server/local-socket.ts';
import { createFakeCore } from '../../../fakes/fake-core.ts';

let home = '';

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'dewpoint-home-'));
});

afterEach(() => rm(home, { recursive: true, force: true }));

const lock = (): string => join(home, 'owner.json');

describe('a claim on a home folder', () => {
  it('makes the first process the owner, and tells the next one who it is', async () => {
    const first = await claimHome(home);
    expect(first.type).toBe('owner');
    expect(await claimHome(home)).toMatchObject({ type: 'owned', pid: process.pid });
  });

  it('explains why a home cannot be used, and how to name another', async () => {
    await writeFile(join(home, 'file'), '');
    await expect(claimHome(join(home, 'file'))).rejects.toMatchObject({
      code: 'bad-input',
      message: expect.stringContaining('cannot be used: a file is in its place'),
      hint: expect.stringContaining('DEWPOINT_HOME'),
    });
  });

  it('can be released', async () => {
    const first = await claimHome(home);
    if (first.type === 'owner') await first.release();
    expect((await claimHome(home)).type).toBe('owner');
  });

  it('takes over from an owner that died', async () => {
    await writeFile(lock(), JSON.stringify({ pid: 999_999_999, startedAt: '1', token: 'x' }));
    expect((await claimHome(home)).type).toBe('owner');
  });

  it('takes over from a process whose number now belongs to another program', async () => {
    await writeFile(lock(), JSON.stringify({ pid: process.pid, startedAt: 'another start', token: 'x' }));
    expect((await claimHome(home)).type).toBe('owner');
  });

  it('takes over a claim that cannot be read', async () => {
    await writeFile(lock(), 'half a reco');
    expect((await claimHome(home)).type).toBe('owner');
  });

  it('does not release what another process has claimed meanwhile', async () => {
    const first = await claimHome(home);
    await writeFile(lock(), JSON.stringify({ pid: process.pid, startedAt: '', token: 'another' }));
    if (first.type === 'owner') await first.release();
    expect(await readFile(lock(), 'utf8')).toContain('another');
  });

  it('over a dead owner is won by exactly one of many processes', async () => {
    await writeFile(lock(), JSON.stringify({ pid: 999_999_999, startedAt: '1', token: 'x' }));
    const claims = await Promise.all(Array.from({ length: 20 }, () => claimHome(home)));
    expect(claims.filter((claim) => claim.type === 'owner')).toHaveLength(1);
  });

  it('notices that the owner was killed', async () => {
    const child = fork('-e', ["process.send('up'); setInterval(() => {}, 1000)"], {
      execArgv: [],
      stdio: 'ignore',
      execPath: process.execPath,
      serialization: 'json',
    });
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    await writeFile(lock(), JSON.stringify({ pid: child.pid, startedAt: '', token: 'x' }));
    expect((await claimHome(home)).type).toBe('owner');
  });
});

/** The socket's name as it was when it could be predicted. */
const knownName = (folder: string): string => {
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  return `dewpoint-${process.getuid?.() ?? 'user'}-${hash}.sock`;
};
const rightsOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

describe.skipIf(process.platform === 'win32')('a home folder that others could read', () => {
  it('is made private, and the person is told once', async () => {
    await chmod(home, 0o755);
    const first = await claimHome(home);
    expect([await rightsOf(home), first.warning]).toEqual(['700', expect.stringContaining('yours alone now')]);
    expect((await claimHome(home)).warning).toBeNull();
  });

  it('is not used if it belongs to another user', async () => {
    const isRoot = process.getuid?.() === 0;
    if (isRoot) await chown(home, 2371, 2371);
    // A user other than root finds root's folders everywhere.
    const foreign = isRoot ? home : '/usr';
    await expect(claimHome(foreign)).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('belongs to another user'),
      hint: expect.stringContaining('DEWPOINT_HOME'),
    });
    expect(await readdir(home)).toEqual([]);
  });
});

describe.skipIf(process.platform === 'win32')('the socket of a home folder with a long path', () => {
  let deep = '';
  let tmp = '';
  beforeEach(async () => {
    deep = join(home, 'deep/'.repeat(30), 'home');
    tmp = join(home, 'tmp');
    await mkdir(tmp);
    await chmod(tmp, 0o1777);
    vi.stubEnv('TMPDIR', tmp);
    vi.stubEnv('XDG_RUNTIME_DIR', '');
  });
  afterEach(() => void vi.unstubAllEnvs());

  const owner = async () => {
    const claim = await claimHome(deep);
    if (claim.type !== 'owner') throw new Error('It has an owner.');
    return claim;
  };

  it('lies in a private folder with an unpredictable name, and is removed with its owner', async () => {
    // Another program already holds every name that can be predicted.
    for (const folder of [tmp, '/tmp']) await mkdir(join(folder, knownName(deep))).catch(() => undefined);
    try {
      const claim = await owner();
      const folder = dirname(claim.socketPath);
      expect(Buffer.byteLength(claim.socketPath)).toBeLessThanOrEqual(100);
      expect([dirname(folder), await rightsOf(folder)]).toEqual([await realpath(tmp), '700']);
      const server = await serveSocket(createRouter(createFakeCore().handlers), claim.socketPath);
      const other = await claimHome(deep);
      expect(other).toMatchObject({ type: 'owned', socketPath: claim.socketPath });
      const connection = await connectSocket(other.socketPath, 2_000);
      expect(await connection.client.home.info()).toMatchObject({ version: expect.any(String) });
      connection.close();
      await server.close();
      await claim.release();
      expect((await readdir(tmp)).filter((name) => name !== knownName(deep))).toEqual([]);
      expect(await readdir(deep)).toEqual([]);
    } finally {
      await rm(join('/tmp', knownName(deep)), { recursive: true, force: true });
    }
  });

  it('is at the same place for the next owner when the last one was killed', async () => {
    const { socketPath } = await owner();
    await writeFile(join(deep, 'owner.json'), JSON.stringify({ pid: 999_999_999, startedAt: '1', token: 'x' }));
    expect((await owner()).socketPath).toBe(socketPath);
  });

  it('is not used in a folder that others can write', async () => {
    const { socketPath } = await owner();
    await chmod(dirname(socketPath), 0o777);
    await expect(claimHome(deep)).rejects.toMatchObject({ code: 'refused' });
  });

  it('is not used when its folder was replaced by a link', async () => {
    const { socketPath } = await owner();
    await rm(dirname(socketPath), { recursive: true });
    await symlink(tmp, dirname(socketPath));
    expect((await claimHome(deep)).socketPath).toBe(join(deep, 'core.sock'));
  });

  it("lies in the system's runtime folder if others cannot remove it there", async () => {
    const runtime = join(home, 'run');
    await mkdir(runtime, { mode: 0o700 });
    vi.stubEnv('XDG_RUNTIME_DIR', runtime);
    const claim = await owner();
    expect(dirname(dirname(claim.socketPath))).toBe(await realpath(runtime));
    await claim.release();
    await chmod(runtime, 0o777);
    expect(dirname(dirname((await owner()).socketPath))).toBe(await realpath(tmp));
  });
});
