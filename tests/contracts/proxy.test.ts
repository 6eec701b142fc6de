import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Connection } from '../../src/main/lib/net/net-fetch.ts';
import { createNetFetch } from '../../src/main/lib/net/net-fetch.ts';
import type { Provider, StreamPart } from '../../src/main/models/providers/define.ts';
import { allProviders, collect, providerDependencies, request } from '../fakes/provider-kit.ts';
import { selfSigned } from '../fakes/self-signed.ts';
import type { WireFormat } from '../fakes/wire/streams.ts';
import { wireFormats } from '../fakes/wire/streams.ts';

/*
 * Every kind of service behind a proxy that needs a password, with a certificate that only a file of the user trusts.
 */

const pair = selfSigned(['service.invalid']);
const servers: Server[] = [];
let folder = '';
let answers: (message: IncomingMessage, response: ServerResponse) => void = () => undefined;
let proxyPort = 0;
let refusal: string | null = null;

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-proxy-'));
  await writeFile(join(folder, 'ca.pem'), pair.cert);
  const target = await listen(createTlsServer(pair, (message, response) => answers(message, response)));
  const proxy = createServer((_message, response) => response.writeHead(400).end());
  const right = `Basic ${Buffer.from('me:secret').toString('base64')}`;
  proxy.on('connect', (message, socket) => {
    socket.on('error', () => undefined);
    const status = refusal ?? (message.headers['proxy-authorization'] === right ? null : '407 Who are you');
    if (status !== null) return void socket.end(`HTTP/1.1 ${status}\r\n\r\n`);
    const upstream = connect(target, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    upstream.on('error', () => undefined);
    upstream.pipe(socket).pipe(upstream);
  });
  proxyPort = await listen(proxy);
});

afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await rm(folder, { recursive: true, force: true });
});

// On a busy machine, a handshake may take longer than the time limit of a list.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const signal = new AbortController().signal;

function providerOf(format: WireFormat, change: Partial<Connection> = {}): Provider {
  const definition = allProviders().get(format.kind);
  if (definition === undefined) throw new Error(`no provider of the kind ${format.kind}`);
  const connection = { proxy: `http://me:secret@127.0.0.1:${proxyPort}`, certificates: join(folder, 'ca.pem') };
  const door = createNetFetch(() => ({ ...connection, ...change }), {});
  const settings = definition.settings.parse({
    kind: format.kind,
    baseUrl: `https://service.invalid${format.basePath}`,
  });
  return definition.create(providerDependencies({ secret: async () => 'a-key', fetch: door }), { id: 'x', settings });
}

/** Sends half of the answer, and the rest after a word of the first half was read. */
function streamOf(format: WireFormat): { readonly isRead: () => void } {
  let isRead = (): void => undefined;
  const read = new Promise<void>((resolve) => (isRead = resolve));
  answers = (message, response) => {
    message.resume();
    const isList = message.method === 'GET';
    response.writeHead(200, { 'content-type': isList ? 'application/json' : 'text/event-stream' });
    if (isList) return void response.end(format.list);
    const half = format.body.indexOf('read_file');
    response.write(format.body.slice(0, half));
    void read.then(() => response.end(format.body.slice(half)));
  };
  return { isRead: () => isRead() };
}

describe.each(wireFormats)('$kind through a proxy', (format) => {
  it('lists its models, and its answer comes word by word', async () => {
    const { isRead } = streamOf(format);
    const provider = providerOf(format);
    expect((await provider.list(signal)).map(({ name }) => name)).toEqual(['m']);
    const parts: StreamPart[] = [];
    for await (const part of provider.stream(request('m'), signal)) {
      parts.push(part);
      if (part.type === 'text-delta') isRead();
    }
    expect(parts.filter(({ type }) => type === 'tool-call')).toHaveLength(1);
    expect(parts.at(-1)).toMatchObject({ type: 'ended', error: null, usage: format.usage });
  });

  it.each([
    ['a proxy that wants a password', () => ({ proxy: `http://127.0.0.1:${proxyPort}` }), null, '407'],
    ['a proxy that lets nobody through', () => ({}), '403 No', '403'],
    ['a certificate that nobody vouches for', () => ({ certificates: null }), null, 'connection.certificates'],
    [
      'a file of certificates that is not there',
      () => ({ certificates: '/nonexistent/ca.pem' }),
      null,
      'cannot be read',
    ],
  ])('names %s, and does not try again', async (_what, change, refused, words) => {
    refusal = refused;
    try {
      const provider = providerOf(format, change());
      const ended = (await collect(provider.stream(request('m'), signal))).at(-1);
      expect(ended).toMatchObject({
        type: 'ended',
        error: { code: 'network', retryable: false, message: expect.stringContaining(words) },
      });
      // If the service has no list of its own, the error is in the note instead.
      const said = await provider.list(signal).then(
        (models) => models[0]?.note ?? '',
        (error: unknown) => (error instanceof Error ? error.message : ''),
      );
      expect(said).toContain(words);
    } finally {
      refusal = null;
    }
  });
});
