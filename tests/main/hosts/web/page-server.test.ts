import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createORPCClient, ORPCError } from '@orpc/client';
import { RPCLink } from '@orpc/client/websocket';
import { createRouterClient } from '@orpc/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createForwardRouter } from '../../../../src/main/server/forward-router.ts';
import { hostCommands } from '../../../../src/main/server/commands.ts';
import { createRouter } from '../../../../src/main/server/router.ts';
import type { CoreClient } from '../../../../src/main/server/local-socket.ts';
import { createPathBoundary } from '../../../../src/main/hosts/web/path-boundary.ts';
import { createWebGuard, refusedCommands, webGrants } from '../../../../src/main/hosts/web/web-guard.ts';
import type { AliasedFolder } from '../../../../src/main/hosts/web/path-aliases.ts';
import { createPathAliases } from '../../../../src/main/hosts/web/path-aliases.ts';
import type { PageServer } from '../../../../src/main/hosts/web/page-server.ts';
import { startPageServer } from '../../../../src/main/hosts/web/page-server.ts';
import type { ScriptedCore } from '../../../fakes/scripted-core.ts';
import { createScriptedCore } from '../../../fakes/scripted-core.ts';
import { contract } from '@shared/contract/contract.ts';
import type { SessionPush } from '@shared/contract/sessions-contract.ts';

let folder = '';
/** The name that the page uses for the folder of projects. */
let root = '';
let core: ScriptedCore;
let server: PageServer;
let sockets: WebSocket[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dewpoint-serve-'));
  mkdirSync(join(folder, 'page'));
  mkdirSync(join(folder, 'projects', 'one'), { recursive: true });
  writeFileSync(join(folder, 'page', 'index.html'), '<!doctype html><title>page</title>');
  writeFileSync(join(folder, 'page', 'app.js'), 'void 0;');
  writeFileSync(join(folder, 'page', 'late.js'), 'void 1;');
  writeFileSync(join(folder, 'secret.js'), 'secret');
  core = createScriptedCore();
  const client = createRouterClient(createRouter(core.handlers));
  const projects: AliasedFolder = { paths: [join(folder, 'projects')], label: 'projects' };
  const names = createPathAliases(Buffer.alloc(32), [projects]);
  root = names.aliasOf(projects);
  const around = createPathBoundary({ names, roots: [projects] });
  const router = createForwardRouter({ client: async () => client, guard: createWebGuard(), around });
  server = await startPageServer(router, { port: 0, pageFolder: join(folder, 'page') });
});

afterEach(async () => {
  for (const socket of sockets) socket.terminate();
  sockets = [];
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const host = (): string => new URL(server.url).host;
const token = (): string => new URLSearchParams(new URL(server.url).hash.slice(1)).get('token') ?? '';

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Sends the path exactly as written here. `fetch` would normalize it. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  const port = new URL(server.url).port;
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      let body = '';
      response.on('data', (chunk) => (body += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body, headers: response.headers }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

function open(options: { origin?: string; host?: string; path?: string } = {}): WebSocket {
  const socket = new WebSocket(`ws://${host()}${options.path ?? '/contract'}`, {
    headers: { origin: options.origin ?? `http://${host()}`, ...(options.host ? { host: options.host } : {}) },
  });
  sockets.push(socket);
  return socket;
}

/** How the server ends a socket: with a close code, or with the status of a refused upgrade. */
function ending(socket: WebSocket, first?: string): Promise<number> {
  return new Promise((resolve) => {
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.on('error', () => undefined);
    socket.on('close', (code) => resolve(code));
    if (first !== undefined) socket.on('open', () => socket.send(first));
  });
}

async function connect(): Promise<{ client: CoreClient; socket: WebSocket }> {
  const socket = open();
  await new Promise((resolve) => socket.once('open', resolve));
  const ready = new Promise((resolve) => socket.once('message', (data: Buffer) => resolve(data.toString())));
  socket.send(token());
  expect(await ready).toBe('ready');
  const link = new RPCLink({ websocket: socket as unknown as globalThis.WebSocket });
  return { client: createORPCClient(link), socket };
}

describe('the page server', () => {
  it('serves the page with a policy that allows only its own files', async () => {
    const { status, body, headers } = await get('/?x=1');
    expect({ status, body }).toEqual({ status: 200, body: '<!doctype html><title>page</title>' });
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(headers['content-security-policy']).toContain(`connect-src 'self' ws://${host()}`);
    expect(headers['content-security-policy']).toContain("require-trusted-types-for 'script'");
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it.each([
    '/../secret.js',
    '/%2e%2e/secret.js',
    '/..%2fsecret.js',
    '/..\\secret.js',
    '//secret.js',
    '/app.js/../../secret.js',
  ])('serves nothing outside its folder for %s', async (path) => {
    const { status, body } = await get(path);
    expect({ status, body }).toEqual({ status: 404, body: 'not found' });
  });

  // Catches: a page whose parts come from two builds, because a new one was put over the files of a running program.
  it('serves the files that were there at its start, and reports a missing one as not found', async () => {
    expect((await get('/app.js')).body).toBe('void 0;');
    for (const name of ['index.html', 'app.js']) writeFileSync(join(folder, 'page', name), 'of a new build');
    expect((await get('/')).body).toBe('<!doctype html><title>page</title>');
    expect((await get('/app.js')).body).toBe('void 0;');
    rmSync(join(folder, 'page', 'late.js'));
    expect((await get('/late.js')).status).toBe(404);
  });

  it('refuses foreign host names, foreign pages and other methods', async () => {
    const statuses = await Promise.all([
      get('/', { host: 'evil.example' }),
      get('/', { host: `evil.example:${new URL(server.url).port}` }),
      get('/', { origin: 'https://evil.example' }),
      get('/', {}, 'POST'),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([403, 403, 403, 405]);
  });
});

describe('the socket', () => {
  it('is refused for a foreign origin, host name or path, and without an origin', async () => {
    const port = new URL(server.url).port;
    const bare = new WebSocket(`ws://${host()}/contract`);
    sockets.push(bare);
    const endings = [
      ending(open({ origin: 'https://evil.example' })),
      ending(open({ origin: 'null' })),
      ending(open({ origin: `http://evil.example:${port}`, host: `evil.example:${port}` })),
      ending(bare),
      ending(open({ path: '/' })),
    ];
    expect(await Promise.all(endings)).toEqual([403, 403, 403, 403, 403]);
  });

  it('is closed when its first message is not the token', async () => {
    const call = JSON.stringify({ i: '1', p: { u: '/sessions/list' } });
    const codes = await Promise.all([
      ending(open(), 'wrong'),
      ending(open(), ''),
      ending(open(), `${token()}x`),
      ending(open(), call),
    ]);
    expect(codes).toEqual([4401, 4401, 4401, 4401]);
  });

  it('is closed when no token comes, with a code after which the page may try again', async () => {
    expect(await ending(open())).toBe(4408);
  });

  it('answers calls after the token', async () => {
    const { client } = await connect();
    expect(await client.sessions.list()).toEqual([]);
    const projectPath = `${root}/one`;
    const { sessionId } = await client.sessions.create({ projectPath });
    expect((await client.sessions.show({ sessionId })).state.projectPath).toBe(projectPath);
  });

  it('streams events and pushes, and ends the stream when it closes', async () => {
    const { client, socket } = await connect();
    const { sessionId } = await client.sessions.create({ projectPath: null });
    const stream = await client.sessions.events({ sessionId, fromSeq: 1 });
    const seen: SessionPush[] = [];
    const reading = (async () => {
      for await (const push of stream) seen.push(push);
    })().catch(() => undefined);
    await until(() => seen.length === 2);
    core.append(sessionId, { type: 'message-delivered', messageId: 'm' });
    core.push(sessionId, { type: 'text-delta', callId: 'c', text: 'a\u2028b' });
    await until(() => seen.some((push) => push.type === 'transients'));
    expect(seen.flatMap((push) => (push.type === 'events' ? push.events.map((event) => event.seq) : []))).toEqual([
      1, 2,
    ]);
    expect(seen.at(-1)).toEqual({ type: 'transients', items: [{ type: 'text-delta', callId: 'c', text: 'a\u2028b' }] });
    expect(core.listeners()).toBe(1);
    socket.close();
    await reading;
    await until(() => core.listeners() === 0);
  });

  it('closes with the server', async () => {
    const { socket } = await connect();
    const closed = ending(socket);
    await server.close();
    expect(await closed).toBe(1001);
  });
});

describe('a browser', () => {
  it('may do what was granted at the start, and no more', async () => {
    const guard = createWebGuard(['terminal']);
    await expect(guard({ name: 'sandboxes.terminal', input: {} })).resolves.toBeUndefined();
    await expect(guard({ name: 'keys.set', input: {} })).rejects.toThrow('Keys cannot be changed');
    await expect(guard({ name: 'git.request', input: {} })).rejects.toThrow('Nothing is pushed from the browser');
    expect(refusedCommands(['terminal', 'keys'])).not.toContain('sandboxes.type');
    expect(refusedCommands(['terminal', 'keys'])).toContain('settings.set');
  });

  it('may never approve a tool server', async () => {
    const guard = createWebGuard(webGrants);
    for (const key of ['toolServers', 'toolServers.files', 'toolServers.files.approved', ['toolServers', 'files']]) {
      await expect(guard({ name: 'settings.set', input: { key, value: {} } })).rejects.toThrow('Tool servers cannot');
      await expect(guard({ name: 'settings.unset', input: { key } })).rejects.toThrow('Tool servers cannot');
    }
    await expect(guard({ name: 'settings.set', input: { key: 'policy', value: 'local' } })).resolves.toBeUndefined();
    // The list of well-known servers is the same for everybody.
    const ofTools = Object.keys(contract.tools).filter((name) => name !== 'list' && name !== 'known');
    expect(refusedCommands(webGrants)).toEqual(expect.arrayContaining(ofTools.map((name) => `tools.${name}`)));
  });

  it('may never start an editor', async () => {
    await expect(createWebGuard(webGrants)({ name: 'host.openFile', input: {} })).rejects.toThrow('No program');
    expect(refusedCommands(webGrants)).toEqual(expect.arrayContaining(['host.openFile', 'host.editors']));
    const bare = createRouterClient(createRouter({ ...core.handlers, host: hostCommands }));
    await expect(bare.host.openFile({ sessionId: 's', path: 'a' })).rejects.toThrow('only there in the app');
  });

  it('may not change settings, and may not open folders outside the root', async () => {
    const { client } = await connect();
    const refusals = [
      client.settings.set({ key: 'policy', value: 'cloud' }),
      client.keys.set({ provider: 'openai', value: 'a key' }),
      client.keys.remove({ provider: 'openai' }),
      client.keys.restore({ provider: 'openai' }),
      client.sandboxes.type({ terminalId: 'terminal', text: 'id' }),
      client.sessions.create({ projectPath: join(folder, 'projects', 'one') }),
      client.sessions.create({ projectPath: `${root}/..` }),
      client.sessions.create({ projectPath: `${root}/missing` }),
    ];
    const codes = await Promise.all(refusals.map((refusal) => refusal.then(() => 'done', failureCode)));
    expect(codes).toEqual(refusals.map(() => 'refused'));
    expect(await client.sessions.list()).toEqual([]);
  });

  it('gets the failures of the core unchanged', async () => {
    const { client } = await connect();
    const error: unknown = await client.sessions.show({ sessionId: 'none' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ORPCError);
    expect(failureCode(error)).toBe('not-found');
  });
});

it('the page server says that its port is taken', async () => {
  const port = Number(new URL(server.url).port);
  const router = createForwardRouter({ client: async () => createRouterClient(createRouter(core.handlers)) });
  await expect(startPageServer(router, { port, pageFolder: join(folder, 'page') })).rejects.toMatchObject({
    name: 'AppError',
    code: 'conflict',
  });
});

function failureCode(error: unknown): unknown {
  return error instanceof ORPCError && error.defined ? error.data.code : error;
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; !isTrue(); tries += 1) {
    if (tries > 200) throw new Error('it did not come');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
