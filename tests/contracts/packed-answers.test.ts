import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import zlib from 'node:zlib';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createNetFetch, type Connection } from '../../src/main/lib/net/net-fetch.ts';
import { createHubClient } from '../../src/main/models/files/download/hub-client.ts';
import { createFetchUri } from '../../src/main/models/files/download/fetch-uri.ts';
import { connectMcp } from '../../src/main/tools/mcp/mcp-connection.ts';
import { serverDefinitionSchema } from '../../src/shared/tools/server-definition.ts';
import { allProviders, collect, providerDependencies, request } from '../fakes/provider-kit.ts';
import { selfSigned } from '../fakes/self-signed.ts';
import { wireFormats } from '../fakes/wire/streams.ts';

/*
 * Catches: a client that offers Brotli, or unpacks it because a server sent it unasked. Its decoder has a hole in some
 * of the runtimes that ship.
 */

const servers: Server[] = [];
const offers: string[] = [];
let answer: (message: IncomingMessage, response: ServerResponse) => void;
const folder = await mkdtemp(join(tmpdir(), 'dewpoint-packed-answers-'));

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const handle = (message: IncomingMessage, response: ServerResponse): void => {
  offers.push(String(message.headers['accept-encoding']));
  answer(message, response);
};
const pair = selfSigned(['localhost', 'service.invalid']);
const port = await listen(createServer(handle));
const securePort = await listen(createTlsServer(pair, handle));
const proxy = createServer((_message, response) => response.writeHead(400).end());
proxy.on('connect', (message, socket) => {
  const upstream = connect(String(message.url).endsWith(':443') ? securePort : port, '127.0.0.1', () =>
    socket.write('HTTP/1.1 200 OK\r\n\r\n'),
  );
  upstream.pipe(socket).pipe(upstream);
  for (const end of [upstream, socket]) end.on('error', () => undefined);
});
const proxyUrl = `http://127.0.0.1:${await listen(proxy)}`;
const certificates = join(folder, 'ca.pem');
await writeFile(certificates, pair.cert);

const direct: Connection = { proxy: null, certificates: null };
const reach = createNetFetch(() => direct, {});
const address = `http://127.0.0.1:${port}`;
const signal = new AbortController().signal;
const decoders = ['createBrotliDecompress', 'createZstdDecompress'] as const;

/** A long answer, of which a decoder would get bytes whether or not anybody reads it. */
function packed(packing: string, body: Uint8Array = zlib.brotliCompressSync(Buffer.alloc(1e6, 'hello'))) {
  return (_message: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': packing }).end(body);
  };
}

beforeEach(() => {
  offers.length = 0;
  answer = packed('br');
  for (const name of decoders) vi.spyOn(zlib, name);
});
afterEach(() => {
  for (const name of decoders) expect(zlib[name]).not.toHaveBeenCalled();
  expect(offers.filter((offer) => /br|zstd|\*/u.test(offer))).toEqual([]);
  vi.restoreAllMocks();
});
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await rm(folder, { recursive: true, force: true });
});

const refused = { cause: { message: expect.stringMatching(/packed its answer with "br".*was not read/u) } };

describe('an answer in Brotli that nobody asked for', () => {
  it.each([
    ['without encryption', direct, address],
    ['with encryption', { proxy: null, certificates }, `https://localhost:${securePort}`],
    ['through a proxy', { proxy: proxyUrl, certificates }, 'http://service.invalid'],
    ['through a proxy, with encryption', { proxy: proxyUrl, certificates }, 'https://service.invalid'],
  ] as const)('is refused unread %s', async (_name, connection, url) => {
    await expect(createNetFetch(() => connection, {})(url)).rejects.toMatchObject(refused);
    expect(offers).toEqual(['gzip, deflate']);
  });

  it.each([...wireFormats.map(({ kind, basePath }) => [kind, basePath] as const), ['ollama', ''] as const])(
    'ends a call to a service of kind %s, with the reason',
    async (kind, basePath) => {
      const definition = allProviders().get(kind);
      if (definition === undefined) throw new Error(`no provider of the kind ${kind}`);
      const settings = definition.settings.parse({ kind, baseUrl: address + basePath, models: { m: {} } });
      const provider = definition.create(providerDependencies({ secret: async () => 'a-key', fetch: reach }), {
        id: 'x',
        settings,
      });
      expect(JSON.stringify(await collect(provider.stream(request('m'), signal)))).toMatch(/packed its answer with/u);
    },
  );

  it('ends the connection to a tool server, with the reason', async () => {
    const options = {
      name: 'made',
      definition: serverDefinitionSchema.parse({ kind: 'http', url: address }),
      secrets: { 'accept-encoding': 'br;q=1, gzip' },
      fetch: reach,
      start: () => Promise.reject(new Error('nothing is started')),
      version: '1',
      onChanged: () => undefined,
    };
    await expect(connectMcp(options, signal)).rejects.toThrow(/packed its answer with "br"/u);
    expect(offers).toContain('gzip');
  });

  it('ends a download and a look-up at a hub, and writes nothing', async () => {
    const path = join(folder, 'model');
    const fetchUri = createFetchUri({ fetch: reach, env: {}, stalledMs: 5_000 });
    const reply = await fetchUri(`${address}/model`, path, { signal, onProgress: () => undefined });
    expect(JSON.stringify(reply)).toContain('packed its answer with');
    expect(await readFile(path)).toHaveLength(0);
    const hub = createHubClient({ fetch: reach, env: { HF_ENDPOINT: address } });
    expect(JSON.stringify(await hub.read('owner/name', signal))).toContain('packed its answer with');
  });
});

it.each([
  ['zstd', '"zstd"'],
  ['BR', '"br"'],
  ['gzip, br', '"br"'],
  ['gzip,br , gzip', '"br"'],
  ['x\u00e9<b>', 'an unknown way'],
])('a reader of answers refuses %j unread', async (packing, named) => {
  answer = packed(packing, Buffer.from('x'));
  await expect(reach(address)).rejects.toMatchObject({ cause: { message: expect.stringContaining(named) } });
});

it('a reader of answers refuses Brotli in a second header and in an error page', async () => {
  answer = (_message, response) => {
    response.writeHead(500, [
      ['content-encoding', 'gzip'],
      ['Content-Encoding', 'br'],
    ]);
    response.end('x');
  };
  await expect(reach(address)).rejects.toMatchObject(refused);
});

it.each([
  ['gzip', zlib.gzipSync('hello')],
  ['x-gzip', zlib.gzipSync('hello')],
  ['deflate', zlib.deflateSync('hello')],
  ['identity', Buffer.from('hello')],
  ['', Buffer.from('hello')],
])('a reader of answers unpacks "%s"', async (packing, body) => {
  answer = packed(packing, body);
  expect(await (await reach(address)).text()).toBe('hello');
});

it('the built-in fetch is called in one file only', () => {
  const files = readdirSync('src/main', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const calls = files.filter((path) =>
    /(?:await|return|void|\?\?|=>|=) fetch\b(?!:)/u.test(readFileSync(join('src/main', path), 'utf8')),
  );
  expect(calls).toEqual(['lib/net/net-fetch.ts']);
});
