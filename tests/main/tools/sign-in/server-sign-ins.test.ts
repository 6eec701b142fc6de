import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { McpConnection } from '../../../../src/main/tools/mcp/mcp-connection.ts';
import { connectMcp } from '../../../../src/main/tools/mcp/mcp-connection.ts';
import type { ServerSignIns, ServerSignInsOptions } from '../../../../src/main/tools/sign-in/server-sign-ins.ts';
import type { OauthWorld } from '../../../fakes/oauth-server.ts';
import { createOauthWorld } from '../../../fakes/oauth-server.ts';
import { browse, realSignIns, signInDefinition, tableSecrets } from '../../../fakes/sign-in-kit.ts';

const signal = new AbortController().signal;
const quiet = { signal, onProgress: () => undefined };
let home: string;
let world: OauthWorld;
let secrets: ReturnType<typeof tableSecrets>;
let learned: string[];
let signIns: ServerSignIns;
const open: McpConnection[] = [];

const make = (more: Partial<ServerSignInsOptions> = {}): ServerSignIns =>
  realSignIns(home, secrets, { learn: (value) => void learned.push(value), ...more });

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'dewpoint-sign-in-'));
  world = await createOauthWorld();
  secrets = tableSecrets();
  learned = [];
  signIns = make();
});

afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
  await signIns.dispose();
  await world.close();
  rmSync(home, { recursive: true, force: true });
});

const definition = (more: object = {}) => signInDefinition(world.mcpUrl, more);

async function connect(by: ServerSignIns = signIns): Promise<McpConnection> {
  const connection = await connectMcp(
    {
      name: 'tracker',
      definition: definition(),
      secrets: {},
      fetch,
      auth: by.forServer('tracker', definition()),
      start: () => Promise.reject(new Error('Nothing is started for an address.')),
      version: '1',
      onChanged: () => undefined,
      connectMs: 5_000,
    },
    signal,
  );
  open.push(connection);
  return connection;
}

interface Way {
  readonly by?: ServerSignIns;
  readonly more?: object;
  readonly stop?: AbortSignal;
  /** What the user does with the address. */
  readonly browser?: (url: string) => Promise<unknown>;
}

async function signIn({ by = signIns, more, stop = signal, browser = browse }: Way = {}): Promise<string[]> {
  const opened: string[] = [];
  let browsing: Promise<unknown> = Promise.resolve();
  try {
    await by.start('tracker', definition(more), {
      signal: stop,
      onOpen: ({ url }) => {
        opened.push(url);
        browsing = browser(url);
        browsing.catch(() => undefined);
      },
    });
  } finally {
    await browsing.catch(() => undefined);
  }
  return opened;
}

const report = () => signIns.report('tracker', definition());
const keptTokens = (): string => [...secrets.table.values()].join('');

/** The contents of every file below the home, joined. */
function filesText(): string {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')).join('\n');
}

describe('a server that needs a sign-in', () => {
  it('says so, answers after the sign-in, and no token is stored in a file', async () => {
    await expect(connect()).rejects.toMatchObject({
      message: 'The tool server tracker needs you to sign in.',
      hint: expect.stringContaining('dewpoint tools sign-in tracker'),
    });
    expect(await report()).toMatchObject({ isSignedIn: false, isNeeded: true, isWaiting: false });
    const [url = ''] = await signIn();
    const asked = new URL(url).searchParams;
    expect(asked.get('scope')).toBe('read');
    expect(asked.get('resource')).toBe(world.mcpUrl);
    expect(asked.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/u);
    const connection = await connect();
    expect(await connection.call('read', {}, quiet)).toEqual({ status: 'ok', output: 'read: done' });
    expect(await report()).toMatchObject({ isSignedIn: true, isNeeded: false, issuer: world.issuer, scopes: ['read'] });
    // The redactor hides only secrets that it knows.
    const refresh = /refresh-[\w-]+/u.exec(Buffer.from(keptTokens(), 'utf8').toString())?.[0] ?? 'none';
    expect(learned).toContain(refresh);
    expect(filesText()).not.toMatch(/access-|refresh-/u);
  });

  it('is reached after a restart without another sign-in', async () => {
    await signIn();
    const later = make();
    const connection = await connect(later);
    expect(connection.tools().map(({ name }) => name)).toEqual(['read', 'write']);
    expect(world.asked.filter((one) => one === 'POST /token')).toHaveLength(1);
  });

  it('gets no sign-in when a person set a key for it', async () => {
    expect(signIns.forServer('tracker', definition({ headers: ['authorization'] }))).toBeNull();
    await expect(signIn({ more: { headers: ['Authorization'] } })).rejects.toMatchObject({ code: 'bad-input' });
  });

  it('gets no token of a sign-in for another address', async () => {
    await signIn();
    const other = signIns.forServer('tracker', signInDefinition('https://mcp.example.org/mcp'));
    expect(await other?.provider.token()).toBeUndefined();
  });
});

// Catches: an existing sign-in that counts as none, is overwritten, or is lost with the next one.
describe('an unreadable sign-in file', () => {
  const file = () => join(home, 'tools', 'tracker', 'sign-in.json');
  const beside = () => readdirSync(join(home, 'tools', 'tracker')).filter((name) => name.includes('unreadable'));

  it.each(['{"serverUrl": "htt', '{"version": 7}', '[]'])('such as %j is reported and left unchanged', async (text) => {
    await signIn();
    const tokens = keptTokens();
    writeFileSync(file(), text);
    const later = make();
    const said = `What is kept of the sign-in to tracker cannot be read: ${file()}. It was left as it is`;
    expect(await later.report('tracker', definition())).toMatchObject({
      isSignedIn: false,
      isNeeded: true,
      ended: said,
    });
    await expect(connect(later)).rejects.toMatchObject({
      message: `${said}.`,
      hint: expect.stringContaining('sign-in'),
    });
    expect(readFileSync(file(), 'utf8')).toBe(text);
    expect(keptTokens()).toBe(tokens);
    // The user signs in again. It works, and the unreadable file is kept beside the new one.
    await signIn({ by: later });
    expect(await later.report('tracker', definition())).toMatchObject({ isSignedIn: true, ended: null });
    expect((await connect(later)).tools()).toHaveLength(2);
    const [kept = ''] = beside();
    expect(readFileSync(join(home, 'tools', 'tracker', kept), 'utf8')).toBe(text);
  });

  it('does not prevent signing out, and the service is told', async () => {
    await signIn();
    const refresh = /refresh-[\w-]+/u.exec(keptTokens())?.[0] ?? 'none';
    expect(world.holds(refresh)).toBe(true);
    writeFileSync(file(), 'none');
    const later = make();
    expect(await later.signOut('tracker', signal)).toBe('done');
    expect(world.holds(refresh)).toBe(false);
    expect(keptTokens()).toBe('');
    expect(beside()).toHaveLength(1);
    expect(await later.signOut('tracker', signal)).toBeNull();
  });
});

describe('the answer of a browser to a sign-in', () => {
  it('counts only with the state of this sign-in', async () => {
    const seen: number[] = [];
    await signIn({
      browser: async (url) => {
        const asked = new URL(url).searchParams;
        const back = asked.get('redirect_uri') ?? '';
        const right = encodeURIComponent(asked.get('state') ?? '');
        for (const query of ['code=stolen&state=wrong', 'code=stolen', 'error=access_denied', `state=${right}`])
          seen.push((await browse(`${back}?${query}&iss=${world.issuer}`)).status);
        seen.push((await fetch(`${back}?code=a&state=${right}`, { method: 'POST' })).status);
        seen.push((await browse(`${back}?code=a&code=b&state=${right}`)).status);
        seen.push((await browse(url)).status);
      },
    });
    expect(seen).toEqual([400, 400, 400, 400, 400, 400, 200]);
    expect((await report())?.isSignedIn).toBe(true);
  });

  it.each([
    ['of another service', (back: URLSearchParams) => back.set('iss', 'https://evil.example.net')],
    ['without the name of the service', (back: URLSearchParams) => back.delete('iss')],
  ])('ends the sign-in if it is %s, before its code is sent on', async (_what, change) => {
    world.answer = change;
    await expect(signIn()).rejects.toMatchObject({ message: expect.stringContaining('another service answered') });
    expect(world.asked).not.toContain('POST /token');
    expect(secrets.table.size).toBe(0);
    expect(await report()).toMatchObject({ isSignedIn: false, isWaiting: false });
  });

  it('may be a refusal, reported in our own words', async () => {
    world.answer = (back) => {
      back.delete('code');
      back.set('error', 'access_denied');
      back.set('error_description', 'Call 555-0100 to unlock your machine');
    };
    await expect(signIn()).rejects.toMatchObject({
      message: 'It was declined in the browser. Nothing was changed.',
    });
  });

  it('can be pasted from another machine, and a wrong paste is explained', async () => {
    const wrong: unknown[] = [];
    await signIn({
      browser: async (url) => {
        const away = await fetch(url, { redirect: 'manual' });
        const address = away.headers.get('location') ?? '';
        for (const one of ['hello', url, address.replace(/state=[^&]+/u, 'state=other')]) {
          try {
            signIns.deliver('tracker', one);
          } catch (error) {
            wrong.push(error);
          }
        }
        signIns.deliver('tracker', `  ${address}\n`);
      },
    });
    expect(wrong).toMatchObject([{ code: 'bad-input' }, { code: 'bad-input' }, { code: 'bad-input' }]);
    expect((await report())?.isSignedIn).toBe(true);
    expect(() => signIns.deliver('tracker', 'http://127.0.0.1/callback')).toThrow('No sign-in to tracker is waiting.');
  });

  it('is waited for until the person cancels or time is up, one sign-in at a time', async () => {
    const stop = new AbortController();
    const again: unknown[] = [];
    const waiting = signIn({
      stop: stop.signal,
      browser: async () => {
        expect(signIns.waiting('tracker')).toContain(`${world.issuer}/authorize?`);
        expect((await report())?.isWaiting).toBe(true);
        await signIn().catch((error: unknown) => again.push(error));
        stop.abort();
      },
    });
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    expect(again).toMatchObject([{ code: 'conflict' }]);
    const short = make({ waitMs: 20 });
    await expect(signIn({ by: short, browser: async () => undefined })).rejects.toMatchObject({ code: 'timeout' });
    expect(short.waiting('tracker')).toBeNull();
    await signIn();
  });
});

describe('sign-in data of a server', () => {
  const paths = () => world.asked.filter((one) => !one.includes('resource'));

  it.each([
    ['is for another server', { resource: 'https://other.example.org/mcp' }, 'for https://other.example.org'],
    [
      'leads into the network behind it',
      { authorization_servers: ['https://192.0.2.1.nip.local'] },
      'your own network',
    ],
    [
      'leads to an address of a cloud’s machine',
      { authorization_servers: ['http://169.254.169.254'] },
      'not encrypted',
    ],
    ['is no address', { authorization_servers: ['not an address'] }, 'not understood'],
  ])('is not followed if it %s', async (_what, change, words) => {
    world.resourceMetadata = change;
    // As if the server were on the public network, where it may not name an address nearby.
    const place = { hasInnerAddress: async () => false };
    const by = make(place);
    const start = by.start('tracker', definition(), { signal, onOpen: () => undefined });
    if (words === 'your own network') return expect(start).rejects.toBeInstanceOf(Error);
    await expect(start).rejects.toMatchObject({ message: expect.stringContaining(words) });
    expect(paths()).toEqual([]);
  });

  it.each([
    ['that calls itself another', { issuer: 'https://evil.example.net' }, 'another service answered'],
    ['that has no PKCE', { code_challenge_methods_supported: undefined }, 'PKCE'],
    ['whose tokens go over an open line', { token_endpoint: 'http://tokens.example.org/token' }, 'not encrypted'],
    ['whose page is no page', { authorization_endpoint: 'javascript:alert(1)' }, 'not understood'],
    ['with a password in its address', { token_endpoint: 'https://me:secret@example.org/token' }, 'a name or password'],
  ])('is refused from a service %s, before anything is opened', async (_what, change, words) => {
    world.metadata = change;
    const opened: string[] = [];
    const start = signIns.start('tracker', definition(), { signal, onOpen: ({ url }) => opened.push(url) });
    await expect(start).rejects.toMatchObject({ message: expect.stringContaining(words) });
    expect(opened).toEqual([]);
    expect(paths()).toEqual(['GET /.well-known/oauth-authorization-server']);
  });

  it('that accepts only known clients is reported, and an own client is used', async () => {
    world.registers = false;
    await expect(signIn()).rejects.toMatchObject({
      message: expect.stringContaining('takes only clients that were registered with it'),
      hint: expect.stringContaining('--client-id'),
    });
    world.clients.set('own-client', { redirect_uris: ['http://127.0.0.1/callback'] });
    const [url = ''] = await signIn({ more: { clientId: 'own-client' } });
    expect(new URL(url).searchParams.get('client_id')).toBe('own-client');
  });

  it('may accept the address of a document as the client', async () => {
    const document = 'https://example.org/dewpoint.json';
    world.clients.set(document, { redirect_uris: ['http://127.0.0.1/callback'] });
    await expect(signIn({ more: { clientId: document } })).rejects.toThrow('takes no address of a document');
    world.metadata = { client_id_metadata_document_supported: true };
    await signIn({ more: { clientId: document } });
    expect((await report())?.isSignedIn).toBe(true);
  });
});
