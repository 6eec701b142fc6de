import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ollamaSchema } from '@shared/settings/settings.ts';
import type { OllamaSettings } from '@shared/settings/settings.ts';
import { createOwnOllamaServer } from '../../src/main/models/engine/own-ollama-server.ts';
import type { OwnOllamaServer } from '../../src/main/models/engine/own-ollama-server.ts';
import type { Provider } from '../../src/main/models/providers/define.ts';
import { createOllamaProvider } from '../../src/main/models/providers/ollama/create-ollama-provider.ts';
import { startFakeOllama } from '../fakes/ollama-server.ts';
import { collect, providerDependencies, request } from '../fakes/provider-kit.ts';
import { testPrograms } from '../fakes/test-programs.ts';

const never = new AbortController().signal;

let dir: string;
/** Outside every project: the current folder counts as one, and a program in it is not used. */
let program: string;
let own: OwnOllamaServer;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dewpoint-own-server-'));
  program = join(dir, 'ollama.mjs');
  await copyFile('tests/fakes/fake-ollama-program.mjs', program);
});
afterEach(async () => {
  await own.dispose();
  await rm(dir, { recursive: true, force: true });
});

const startsFile = (): string => join(dir, 'starts');
/** The ids of the processes that were started. */
const starts = async (): Promise<readonly number[]> =>
  (await readFile(startsFile(), 'utf8').catch(() => '')).split('\n').filter(Boolean).map(Number);
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

function open(address: string, settings: Partial<OllamaSettings> = {}, habit = ''): Provider {
  const env = { ...process.env, OLLAMA_FAKE: habit, OLLAMA_FAKE_STARTS: startsFile() };
  own = createOwnOllamaServer({
    nodePath: process.execPath,
    guardPath: resolve('src/main/models/engine/server-guard.ts'),
    programs: testPrograms(env),
    env,
    platform: process.platform,
  });
  return createOllamaProvider(
    providerDependencies({ ownOllamaServer: own, cacheDir: dir }),
    { id: 'ollama', settings: ollamaSchema.parse({ kind: 'ollama', baseUrl: address, program, ...settings }) },
    { askMs: 20_000, loadMs: 20_000, stallMs: 20_000 },
  );
}

/** An address with a free port, for the program that is started next. */
async function freeAddress(): Promise<string> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((done) => server.close(done));
  return `http://127.0.0.1:${port}`;
}

function listen(server: Server): Promise<number> {
  return new Promise((done) => {
    server.listen(0, '127.0.0.1', () => {
      const at = server.address();
      done(typeof at === 'object' && at !== null ? at.port : 0);
    });
  });
}

const said = (provider: Provider): Promise<string> =>
  provider.list(never).then(
    () => 'it answered',
    (error: unknown) => String(error),
  );

describe('an Ollama that is installed and does not run', () => {
  it('is started once for all callers when a person allowed it, and ends with Dewpoint', async () => {
    const provider = open(await freeAddress(), { start: true });
    const [models, status] = await Promise.all([provider.list(never), provider.server?.status(never)]);
    expect([models, status?.complaint]).toEqual([[], null]);
    const pids = await starts();
    expect(pids).toHaveLength(1);
    await own.dispose();
    expect(pids.map(isAlive)).toEqual([false]);
  });

  it('is not started unasked, and the error says how Dewpoint may start it', async () => {
    const provider = open(await freeAddress());
    expect(await said(provider)).toContain(`It is installed: ${program}.`);
    expect(await said(provider)).toContain('"start": true');
    expect([await provider.server?.canStart(), await starts()]).toEqual([true, []]);
  });

  it('is reported with its last words when it ends at once', async () => {
    expect(await said(open(await freeAddress(), { start: true }, 'dies'))).toMatch(
      /was started and ended at once\. Its last output: .*permission denied/,
    );
  });

  it('is reported as missing when its program is not there', async () => {
    const provider = open(await freeAddress(), { start: true, program: join(dir, 'nothing') });
    const [ended] = (await collect(provider.stream(request('m'), never))).slice(-1);
    expect(ended).toMatchObject({
      type: 'ended',
      error: { code: 'network', message: expect.stringContaining('is not a program that can be run') },
    });
    expect(await provider.server?.canStart()).toBe(false);
  });

  it('is not started from the folder of a project, and the error says why', async () => {
    const inProject = resolve('tests/fakes/fake-ollama-program.mjs');
    const provider = open(await freeAddress(), { start: true, program: inProject });
    expect(await said(provider)).toContain('lies in the folder of a project, where an agent can change it');
    expect([await provider.server?.canStart(), await starts()]).toEqual([false, []]);
  });

  it('is reported as too old, and still runs', async () => {
    const status = await open(await freeAddress(), { start: true }, 'old').server?.status(never);
    expect(status?.complaint).toContain('too old');
  });

  it('cannot take the port of another program, and the error says so', async () => {
    const other = createServer((socket) => socket.destroy());
    const address = `http://127.0.0.1:${await listen(other)}`;
    try {
      expect(await said(open(address, { start: true }))).toContain('another program, not Ollama, uses the port');
    } finally {
      await new Promise((done) => other.close(done));
    }
  });
});

it('an Ollama that runs already is used and left running', async () => {
  const server = await startFakeOllama();
  try {
    const provider = open(server.address, { start: true });
    expect(await provider.list(never)).toHaveLength(1);
    await provider.dispose();
    await own.dispose();
    expect(await starts()).toEqual([]);
    expect((await fetch(`${server.address}/api/version`)).ok).toBe(true);
  } finally {
    await server.close();
  }
});
