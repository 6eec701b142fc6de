import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, mkdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { homeIdOf } from '../../src/main/sandbox/docker/user/container-identity.ts';
import { sweepLeftovers } from '../../src/main/sandbox/docker/engine/sweep-leftovers.ts';
import { isWithoutEngine, requireEngine, startSandbox } from '../docker/docker-kit.ts';

describe.skipIf(isWithoutEngine)('a Dewpoint that was killed', () => {
  it('leaves nothing running, and nothing at all after the next start', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-owner-')));
    await chmod(folder, 0o755);
    await mkdir(join(folder, 'home'));
    await mkdir(join(folder, 'work'));
    const { docker } = requireEngine();
    const filters = { label: [`dewpoint.home=${homeIdOf(join(folder, 'home'))}`] };
    const owner = spawn(process.execPath, [resolve('tests/fixtures/sandbox-owner.mjs'), folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(owner.stdout, 'data');
    expect(await docker.listContainers({ filters })).toHaveLength(1);
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    // The container ends by itself, because its first process reads from a closed connection.
    await expect.poll(() => docker.listContainers({ filters }), { interval: 200 }).toHaveLength(0);
    const swept = await sweepLeftovers(requireEngine(), homeIdOf(join(folder, 'home')));
    expect(swept).toEqual({ containers: 1, volumes: 1 });
    expect(await docker.listContainers({ all: true, filters })).toHaveLength(0);
    await rm(folder, { recursive: true });
  });

  it('is told apart from a living one, and from other homes', async () => {
    const under = await startSandbox();
    try {
      expect(await sweepLeftovers(requireEngine(), homeIdOf(under.home))).toEqual({
        containers: 0,
        volumes: 0,
      });
      expect(await sweepLeftovers(requireEngine(), 'no-such-home')).toEqual({ containers: 0, volumes: 0 });
      expect((await under.leftovers()).containers).toHaveLength(1);
    } finally {
      await under.close();
    }
  });
});
