import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createServer as createNetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { engineEndpoints } from '../../../../../src/main/sandbox/docker/engine/engine-endpoints.ts';
import { agreedVersion, findEngine } from '../../../../../src/main/sandbox/docker/engine/container-engine.ts';
import { recordedDesktops, recordedPodman } from './recorded-engines.ts';

const none = new AbortController().signal;

describe('the search for a container engine', () => {
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
    waitMs: 60_000,
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
    Components: [{ Name: 'Engine' }, { Name: 'containerd', Version: 'v2.2.0' }, { Name: 'runc', Version: '1.3.3' }],
  };
  const info = {
    DockerRootDir: '/var/lib/docker',
    NCPU: 4,
    MemTotal: 8e9,
    MemoryLimit: true,
    SwapLimit: false,
    PidsLimit: true,
    CpuCfsQuota: true,
    SecurityOptions: ['name=seccomp', 'name=rootless'],
  };

  it('takes the engine of DOCKER_HOST and describes it', async () => {
    const path = await serve('docker.sock', { '/version': version, '/info': info });
    const found = await findEngine(search({ DOCKER_HOST: `unix://${path}` }), none);
    expect(found.ok && { ...found.value, docker: undefined }).toEqual({
      docker: undefined,
      endpoint: `unix://${path} (from DOCKER_HOST)`,
      kind: 'docker',
      version: '29.0.0',
      apiVersion: '1.47',
      containerd: 'v2.2.0',
      runc: '1.3.3',
      desktop: null,
      hasSwappiness: false,
      rootless: true,
      remapsUsers: false,
      rootFolder: '/var/lib/docker',
      cpus: 4,
      memoryBytes: 8e9,
      limits: { memory: true, swap: false, pids: true, cpu: true, ulimits: true },
    });
  });

  it('uses only the engine that the person has set, even where another one answers', async () => {
    await mkdir(join(home, '.docker/run'), { recursive: true });
    await serve('.docker/run/docker.sock', { '/version': version, '/info': info });
    expect((await findEngine(search(), none)).ok).toBe(true);
    const found = await findEngine(search({ DOCKER_HOST: `unix://${home}/nothing.sock` }), none);
    expect(found).toMatchObject({ ok: false, error: { code: 'missing-sandbox' } });
  });

  it('follows the Docker context in use', async () => {
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

  it('takes no other engine when the chosen context does not exist', async () => {
    await mkdir(join(home, '.docker/run'), { recursive: true });
    await serve('.docker/run/docker.sock', { '/version': version, '/info': info });
    const found = await findEngine(search({ DOCKER_CONTEXT: 'gone' }), none);
    expect(found).toMatchObject({
      ok: false,
      error: { message: 'the Docker context "gone" cannot be used: its settings were not found.' },
    });
  });

  it('reports an engine that is too old, and which version is needed', async () => {
    const path = await serve('old.sock', { '/version': { ...version, Version: '19.03.15', ApiVersion: '1.40' } });
    expect(await findEngine(search({ DOCKER_HOST: `unix://${path}` }), none)).toMatchObject({
      ok: false,
      error: {
        code: 'missing-sandbox',
        message: expect.stringMatching(
          /^Docker Engine 19\.03\.15 at .* is too old: .* 1\.40 .* 1\.41 \(Engine 20\.10\)/,
        ),
        hint: 'Update your container engine and start again.',
      },
    });
  });

  it.each(recordedDesktops)(
    'reads what Docker Desktop says of itself in $from',
    async ({ version: said, info: of, expected }) => {
      const path = await serve('desktop.sock', { '/version': said, '/info': of });
      const found = await findEngine(search({ DOCKER_HOST: `unix://${path}` }, 'darwin'), none);
      const limits = { memory: true, swap: true, pids: true, cpu: true, ulimits: true };
      const value = { ...expected, kind: 'docker', rootless: false, remapsUsers: false, limits };
      expect(found).toMatchObject({ ok: true, value: { ...value, hasSwappiness: false } });
    },
  );

  it('asks rootless Podman by its own interface which limits it can hold', async () => {
    const { version: said, info: of, own } = recordedPodman;
    const limitsBy = async (release: string, controllers: readonly string[]) => {
      const host = { ...own.host, cgroupControllers: controllers };
      const answers = { '/version': { ...said, Version: release }, '/info': of, '/libpod/info': { host } };
      const path = await serve(`podman-${release}.sock`, answers);
      const found = await findEngine(search({ DOCKER_HOST: `unix://${path}` }), none);
      expect(found).toMatchObject({ ok: true, value: { kind: 'podman', rootless: true } });
      return found.ok ? found.value.limits : null;
    };
    expect(await limitsBy('4.3.1', [])).toEqual({
      memory: false,
      swap: false,
      pids: false,
      cpu: false,
      ulimits: false,
    });
    expect(await limitsBy('5.5.0', ['cpu', 'memory', 'pids'])).toEqual({
      memory: true,
      swap: true,
      pids: true,
      cpu: true,
      ulimits: true,
    });
  });

  // These descriptions come from vendors and users. None of these programs can run on the machine where this was
  // written.
  it.each([
    ['Ubuntu 24.04.1 LTS', 'colima-dev', 'Docker Engine - Community'],
    ['OrbStack', 'orbstack', 'Docker Engine - Community'],
    ['Rancher Desktop WSL Distribution', 'host', ''],
    ['Alpine Linux v3.20', 'lima-rancher-desktop', ''],
  ])('recognizes an engine in its own virtual machine: %s, %s', async (system, name, product) => {
    const path = await serve('desktop.sock', {
      '/version': { ...version, Platform: { Name: product } },
      '/info': { ...info, OperatingSystem: system, Name: name },
    });
    const found = await findEngine(search({ DOCKER_HOST: `unix://${path}` }, 'darwin'), none);
    expect(found).toMatchObject({ ok: true, value: { desktop: { version: null } } });
  });

  it('looks at the places where desktop programs listen', async () => {
    const labels = (await engineEndpoints(search({}, 'darwin'))).map(({ label }) => label.replace(home, '~'));
    expect(labels).toEqual([
      '~/.docker/run/docker.sock',
      '/var/run/docker.sock',
      '~/.docker/desktop/docker.sock',
      '~/.colima/default/docker.sock',
      '~/.config/colima/default/docker.sock',
      '~/.orbstack/run/docker.sock',
      '~/.rd/docker.sock',
      '/run/podman/podman.sock',
      '~/.local/share/containers/podman/machine/podman.sock',
    ]);
  });

  it('says how to get an engine when there is none', async () => {
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

  it('says when an engine is installed but does not run', async () => {
    const { port } = await closedPort();
    const found = await findEngine(search({ DOCKER_HOST: `tcp://127.0.0.1:${port}` }), none);
    expect(found).toMatchObject({
      ok: false,
      error: { message: expect.stringMatching(/nothing answers/), hint: expect.stringMatching(/Start it/) },
    });
  });

  it('waits for a slow engine, says so, and takes it when it answers', async () => {
    const path = join(home, 'slow.sock');
    const told: string[] = [];
    const server = createServer((request, response) => {
      // The server answers only after the search reported that it waits.
      if (told.length > 0) response.end(JSON.stringify(request.url?.endsWith('/info') === true ? info : version));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const onWait = (text: string): void => void told.push(text);
    const found = await findEngine({ ...search({ DOCKER_HOST: `unix://${path}` }), soonMs: 20, onWait }, none);
    expect(found).toMatchObject({ ok: true, value: { version: '29.0.0' } });
    expect(told).toEqual([expect.stringMatching(/slow\.sock .* does not answer yet. Dewpoint waits up to 59\.98 s/)]);
  });

  it('says how to wait longer for an engine that stays silent', async () => {
    const path = await serve('frozen.sock', 'never');
    const found = await findEngine({ ...search({ DOCKER_HOST: `unix://${path}` }), soonMs: 10, waitMs: 20 }, none);
    expect(found).toMatchObject({
      ok: false,
      error: {
        code: 'missing-sandbox',
        message: `The container engine at unix://${path} (from DOCKER_HOST) did not answer in 0.02 s.`,
        hint: expect.stringMatching(/systemctl restart docker.*dewpoint settings set sandbox\.engineWaitSeconds/),
      },
    });
  });

  it.each([
    ['closes the connection', 'it closes the connection without an answer', ''],
    ['answers as something else', 'another program answers there, not a container engine', 'HTTP/1.1 200 OK\r\n\r\n{}'],
    ['answers in no words it knows', 'another program answers there, not a container engine', '220 mail ready\r\n'],
  ])('explains what is wrong with an engine that %s', async (_how, text, answer) => {
    const path = join(home, 'odd.sock');
    const server = createNetServer((socket) => socket.end(answer));
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const found = await findEngine(search({ DOCKER_HOST: `unix://${path}` }), none);
    server.close();
    expect(found.ok ? null : found.error.message).toContain(text);
  });

  it('stops waiting once it is cancelled', async () => {
    const path = await serve('frozen.sock', 'never');
    const controller = new AbortController();
    const found = findEngine(search({ DOCKER_HOST: `unix://${path}` }), controller.signal);
    controller.abort();
    expect(await found).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  });

  it('refuses an engine on another machine', async () => {
    for (const host of ['tcp://10.0.0.5:2375', 'ssh://me@server', 'tcp://localhost.evil.example:2375']) {
      expect(await engineEndpoints(search({ DOCKER_HOST: host }))).toMatchObject([{ address: null }]);
      expect(await findEngine(search({ DOCKER_HOST: host }), none)).toMatchObject({
        ok: false,
        error: { message: expect.stringMatching(/another machine/), hint: expect.stringMatching(/choose another/) },
      });
    }
  });

  it('uses the older of both versions of the interface', () => {
    const agreed = (ApiVersion: string, MinAPIVersion?: string): string =>
      agreedVersion({ ApiVersion, MinAPIVersion }, '1.47');
    expect([agreed('1.41'), agreed('1.52'), agreed('2.0'), agreed('1.9')]).toEqual(['1.41', '1.47', '1.47', '1.9']);
    expect([agreed('1.52', '1.44'), agreed('1.60', '1.50')]).toEqual(['1.47', '1.50']);
  });
});

async function closedPort(): Promise<{ port: number }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return { port: typeof address === 'object' && address !== null ? address.port : 1 };
}
