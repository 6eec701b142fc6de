import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { engineEndpoints } from '../../../../src/main/sandbox/docker/endpoints.ts';
import { agreedVersion, findEngine } from '../../../../src/main/sandbox/docker/engine.ts';

const none = new AbortController().signal;

describe('looking for an engine', () => {
  let home: string;
  const servers: Server[] = [];
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'dewpoint-engine-'));
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
    await rm(home, { recursive: true });
  });

  const search = (env: Record<string, string> = {}, platform: NodeJS.Platform = 'linux') => ({
    env,
    homeDirectory: home,
    platform,
  });

  async function serve(name: string, answers: Readonly<Record<string, unknown>> | 'never'): Promise<string> {
    const path = join(home, name);
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      if (answers === 'never') return;
      const body = answers[(request.url ?? '').replace(/^\/v[\d.]+/, '')];
      response.statusCode = body === undefined ? 404 : 200;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(body ?? { message: 'page not found' }));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(path, resolve));
    return path;
  }

  const version = {
    Version: '29.0.0',
    ApiVersion: '1.52',
    Components: [{ Name: 'Engine' }, { Name: 'runc', Version: '1.3.3' }],
  };
  const info = {
    NCPU: 4,
    MemTotal: 8e9,
    MemoryLimit: true,
    SwapLimit: false,
    PidsLimit: true,
    CpuCfsQuota: true,
    SecurityOptions: ['name=seccomp', 'name=rootless'],
  };

  it('takes the one of DOCKER_HOST and describes it', async () => {
    const path = await serve('docker.sock', { '/version': version, '/info': info });
    const found = await findEngine(search({ DOCKER_HOST: `unix://${path}` }), none);
    expect(found.ok && { ...found.value, docker: undefined }).toEqual({
      docker: undefined,
      endpoint: `unix://${path} (from DOCKER_HOST)`,
      kind: 'docker',
      version: '29.0.0',
      runc: '1.3.3',
      isDesktop: false,
      desktopVersion: null,
      hasSwappiness: false,
      rootless: true,
      remapsUsers: false,
      cpus: 4,
      memoryBytes: 8e9,
      limits: { memory: true, swap: false, pids: true, cpu: true },
    });
  });

  it('uses only what the person has set, even where another engine answers', async () => {
    await mkdir(join(home, '.docker/run'), { recursive: true });
    await serve('.docker/run/docker.sock', { '/version': version, '/info': info });
    expect((await findEngine(search(), none)).ok).toBe(true);
    const found = await findEngine(search({ DOCKER_HOST: `unix://${home}/nothing.sock` }), none);
    expect(found).toMatchObject({ ok: false, error: { code: 'missing-sandbox' } });
  });

  it('follows the context that is in use', async () => {
    const path = await serve('colima.sock', { '/version': version, '/info': info });
    const key = createHash('sha256').update('colima').digest('hex');
    await mkdir(join(home, '.docker/contexts/meta', key), { recursive: true });
    await writeFile(join(home, '.docker/config.json'), JSON.stringify({ currentContext: 'colima' }));
    await writeFile(
      join(home, '.docker/contexts/meta', key, 'meta.json'),
      JSON.stringify({ Endpoints: { docker: { Host: `unix://${path}` } } }),
    );
    const found = await findEngine(search(), none);
    expect(found.ok && found.value.endpoint).toContain('the Docker context "colima"');
  });

  it('says how to get one where there is none', async () => {
    for (const [platform, words] of [
      ['linux', /apt-get install docker/],
      ['darwin', /Docker Desktop/],
      ['win32', /Docker Desktop/],
    ] as const) {
      const found = await findEngine(search({ DOCKER_HOST: `unix://${home}/nothing.sock` }, platform), none);
      expect(found).toMatchObject({
        ok: false,
        error: { code: 'missing-sandbox', hint: expect.stringMatching(words) },
      });
    }
  });

  it('says that one is there and does not run', async () => {
    const { port } = await closedPort();
    const found = await findEngine(search({ DOCKER_HOST: `tcp://127.0.0.1:${port}` }), none);
    expect(found).toMatchObject({
      ok: false,
      error: { message: expect.stringMatching(/nothing answers/), hint: expect.stringMatching(/Start it/) },
    });
  });

  it('waits for a frozen one no longer than its deadline, and not at all once cancelled', async () => {
    const path = await serve('frozen.sock', 'never');
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    const started = performance.now();
    const found = await findEngine(search({ DOCKER_HOST: `unix://${path}` }), controller.signal);
    expect(found.ok).toBe(false);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it('refuses an engine on another machine, which could not see the project', async () => {
    for (const host of ['tcp://10.0.0.5:2375', 'ssh://me@server', 'tcp://localhost.evil.example:2375']) {
      expect(await engineEndpoints(search({ DOCKER_HOST: host }))).toMatchObject([{ address: null }]);
      expect(await findEngine(search({ DOCKER_HOST: host }), none)).toMatchObject({
        ok: false,
        error: { message: expect.stringMatching(/another machine/) },
      });
    }
  });

  it('speaks the older of the two versions of the interface', () => {
    expect(agreedVersion('1.41', '1.47')).toBe('1.41');
    expect(agreedVersion('1.52', '1.47')).toBe('1.47');
    expect(agreedVersion('2.0', '1.47')).toBe('1.47');
    expect(agreedVersion('1.9', '1.47')).toBe('1.9');
  });
});

async function closedPort(): Promise<{ port: number }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return { port: typeof address === 'object' && address !== null ? address.port : 1 };
}
