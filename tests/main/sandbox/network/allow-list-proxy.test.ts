import { createServer, type Server, type Socket } from 'node:net';
import { Duplex, duplexPair } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { createAllowListProxy } from '../../../../src/main/sandbox/network/allow-list-proxy.ts';
import {
  usualLimits,
  type NetworkDecision,
  type NetworkLimits,
} from '../../../../src/main/sandbox/network/network-decision.ts';
import { fuzzedTargets } from '../../../fakes/fuzzed-targets.ts';
import { sampled } from '../../../fakes/sampled.ts';
import { standInInternet, type StandInInternet, type StandInOptions } from '../../../fakes/stand-in-internet.ts';

const atOnce = 500;
const nearTargets = sampled(100_000, atOnce);
const names = {
  'files.example.org': [['203.0.113.7']],
  'other.example.org': [['203.0.113.8']],
  'inner.example.org': [['10.0.0.7']],
  'mixed.example.org': [['203.0.113.9', '127.0.0.1']],
  'turning.example.org': [['203.0.113.10'], ['127.0.0.1']],
  'mapped.example.org': [['::ffff:127.0.0.1']],
} as const;
const listed = Object.keys(names).filter((name) => name !== 'other.example.org');

interface Place {
  readonly internet: StandInInternet;
  readonly decisions: NetworkDecision[];
  /** Resolves after this many decisions were reported. */
  readonly decided: (count: number) => Promise<void>;
  readonly client: () => Duplex;
}

const opened: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

async function start(options: Partial<StandInOptions> = {}, limits: Partial<NetworkLimits> = {}): Promise<Place> {
  const internet = await standInInternet({ names, ...options });
  const decisions: NetworkDecision[] = [];
  let told: () => void = () => undefined;
  const decided = (count: number): Promise<void> =>
    new Promise((resolve) => {
      told = () => {
        if (decisions.length >= count) resolve();
      };
      told();
    });
  const proxy = createAllowListProxy({
    hosts: new Set([...listed, 'nowhere.example.org']),
    limits: { ...usualLimits, ...limits },
    outward: internet.outward,
    onDecision: (decision) => {
      decisions.push(decision);
      told();
    },
  });
  opened.push(
    () => internet.close(),
    () => proxy.close(),
  );
  const client = (): Duplex => {
    const [mine, its] = duplexPair();
    mine.on('error', () => undefined);
    proxy.handle(its);
    return mine;
  };
  return { internet, decisions, decided, client };
}

/** Writes the texts. Returns everything that arrives until the other side ends the connection. */
function say(client: Duplex, ...texts: readonly (string | Buffer)[]): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    client.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
    client.once('close', () => resolve(text)).once('end', () => resolve(text));
    for (const each of texts) client.write(each);
  });
}

function connected(client: Duplex, target: string): Promise<string> {
  client.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
  return new Promise((resolve) =>
    client.once('data', (bytes: Buffer) => resolve(bytes.toString('latin1').split('\r\n')[0] ?? '')),
  );
}

/** What a host answers over TLS, or why there was no connection. */
async function overTls(place: Place, target: string, servername: string): Promise<string> {
  const client = place.client();
  const first = await connected(client, target);
  if (!first.includes(' 200 ')) return first;
  return new Promise((resolve) => {
    const socket = connectTls({ socket: client, servername, rejectUnauthorized: false }, () =>
      socket.write('GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n'),
    );
    let text = '';
    socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
    socket
      .on('end', () => resolve(text === '' ? 'cut' : (text.split('\r\n').at(-1) ?? '')))
      .on('error', () => resolve('cut'));
  });
}

const verdicts = (place: Place): unknown => place.decisions.map(({ host, reason }) => `${host} ${reason}`);

describe('the network proxy of the sandbox', () => {
  it('carries TLS only to the name that was asked for, and counts its bytes', async () => {
    const place = await start();
    expect(await overTls(place, 'files.example.org:443', 'files.example.org')).toContain('GET /x');
    await place.decided(1);
    expect(place.decisions).toMatchObject([
      { host: 'files.example.org', port: 443, isAllowed: true, reason: 'listed', address: '203.0.113.7' },
    ]);
    expect(place.decisions[0]?.sentBytes).toBeGreaterThan(200);
    expect(place.decisions[0]?.receivedBytes).toBeGreaterThan(200);
  });

  it('rewrites a plain request with its own headers, for the host of its address', async () => {
    const heads: string[] = [];
    const place = await start({
      answer: (request, response) => {
        heads.push(JSON.stringify([request.method, request.url, request.rawHeaders]));
        response.end('ok');
      },
    });
    const text = await say(
      place.client(),
      'POST http://Files.Example.org/a?b=1 HTTP/1.1\r\nHost: evil.example\r\nProxy-Authorization: Basic x\r\nConnection: x-own, close\r\nX-Own: 1\r\nX-Kept: 2\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\nhi',
    );
    expect(text).toContain('200 OK');
    expect(heads).toEqual([
      JSON.stringify([
        'POST',
        '/a?b=1',
        ['x-kept', '2', 'content-length', '2', 'host', 'files.example.org', 'connection', 'close'],
      ]),
    ]);
  });

  it.each([
    ['other.example.org:443', 'not-listed'],
    ['other.example.org.:443', 'bad-host'],
    ['files.example.org.:443', 'bad-host'],
    ['files.example.org:8443', 'bad-port'],
    ['files.example.org:80', 'bad-port'],
    ['files.example.org:22', 'bad-port'],
    ['203.0.113.7:443', 'bad-host'],
    ['127.0.0.1:443', 'bad-host'],
    ['0x7f000001:443', 'bad-host'],
    ['0177.0.0.1:443', 'bad-host'],
    ['2130706433:443', 'bad-host'],
    ['[::1]:443', 'bad-host'],
    ['[::ffff:127.0.0.1]:443', 'bad-host'],
    ['169.254.169.254:443', 'bad-host'],
    ['metadata.google.internal:443', 'bad-host'],
    ['localhost:443', 'bad-host'],
    ['xn--fles-8va.example.org:443', 'not-listed'],
    ['files.example.org@other.example.org:443', 'bad-host'],
    ['inner.example.org:443', 'inner-address'],
    ['mixed.example.org:443', 'inner-address'],
    ['mapped.example.org:443', 'inner-address'],
    ['nowhere.example.org:443', 'no-address'],
  ])('refuses %j: %s', async (target, reason) => {
    const place = await start();
    const first = await connected(place.client(), target);
    expect(first).not.toContain(' 200 ');
    expect(place.decisions.map((decision) => decision.reason)).toEqual([reason]);
    expect(place.internet.opened).toEqual([]);
  });

  it.each([
    ['another name', 'other.example.org'],
    ['no name', ''],
    ['a name with a dot at its end', 'files.example.org.'],
    ['a name that begins alike', 'files.example.org.evil.example'],
  ])('ends TLS that asks for %s before a byte goes out', async (_what, servername) => {
    const place = await start();
    expect(await overTls(place, 'files.example.org:443', servername)).toBe('cut');
    expect(verdicts(place)).toEqual(['files.example.org other-name']);
    await place.internet.close();
    expect(place.internet.arrivedBytes()).toBe(0);
  });

  it.each([
    ['plain HTTP', 'GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n'],
    ['SSH', 'SSH-2.0-x\r\n'],
    ['the hello of SSL 2', Buffer.from('802e0100020015', 'hex')],
    ['an alert', Buffer.from('15030300020100', 'hex')],
    ['an empty record', Buffer.from('1603010000', 'hex')],
  ])('refuses %s where TLS is expected', async (_what, bytes) => {
    const place = await start();
    const client = place.client();
    await connected(client, 'files.example.org:443');
    await say(client, bytes);
    expect(verdicts(place)).toEqual(['files.example.org not-tls']);
    await place.internet.close();
    expect(place.internet.arrivedBytes()).toBe(0);
  });

  it('connects to the address that it checked, and checks the name again for the next connection', async () => {
    const place = await start();
    expect(await overTls(place, 'turning.example.org:443', 'turning.example.org')).toContain('GET');
    expect(await overTls(place, 'turning.example.org:443', 'turning.example.org')).toContain('403');
    expect(place.internet.opened).toEqual(['203.0.113.10:443']);
  });

  it('follows no redirect: the client has to ask for it', async () => {
    const place = await start({
      answer: (_request, response) =>
        response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
    });
    expect(
      await say(
        place.client(),
        'GET http://files.example.org/ HTTP/1.1\r\nHost: files.example.org\r\nConnection: close\r\n\r\n',
      ),
    ).toContain('302');
    expect(
      await say(
        place.client(),
        'GET http://169.254.169.254/latest/meta-data/ HTTP/1.1\r\nHost: files.example.org\r\n\r\n',
      ),
    ).toContain('403');
    expect(place.internet.opened).toEqual(['203.0.113.7:80']);
  });

  it.each([
    ['two lengths', 'Content-Length: 4\r\nContent-Length: 40\r\n\r\nbody'],
    [
      'a length and pieces',
      'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET http://other.example.org/ HTTP/1.1\r\n\r\n',
    ],
    ['a broken line', 'X-A: b\rHost: other.example.org\r\n\r\n'],
    ['a space before the colon', 'Transfer-Encoding : chunked\r\n\r\n'],
    ['pieces of no size', 'Transfer-Encoding: chunked\r\n\r\nzz\r\n'],
  ])('lets no second request through inside one with %s', async (_what, rest) => {
    const seen: string[] = [];
    const place = await start({
      answer: (request, response) => {
        seen.push(`${request.headers.host} ${request.url}`);
        request.resume();
        response.end('ok');
      },
    });
    await say(place.client(), `POST http://files.example.org/a HTTP/1.1\r\nHost: files.example.org\r\n${rest}`);
    expect(seen.filter((each) => each !== 'files.example.org /a')).toEqual([]);
    expect(place.internet.opened.filter((each) => each !== '203.0.113.7:80')).toEqual([]);
  });

  it('decides each of two requests on one connection by itself', async () => {
    const place = await start();
    const text = await say(
      place.client(),
      'GET http://files.example.org/a HTTP/1.1\r\nHost: files.example.org\r\n\r\nGET http://other.example.org/b HTTP/1.1\r\nHost: files.example.org\r\n\r\n',
    );
    expect(text).toMatch(/200 OK[\s\S]*403/);
    expect(place.internet.opened).toEqual(['203.0.113.7:80']);
  });

  it('ends a connection that moves more bytes than allowed, in both directions, and says so', async () => {
    const flood = await start(
      { answer: (_request, response) => void response.end(Buffer.alloc(4_000_000)) },
      { maxReceivedBytes: 1_000_000 },
    );
    const text = await say(
      flood.client(),
      'GET http://files.example.org/ HTTP/1.1\r\nHost: files.example.org\r\nConnection: close\r\n\r\n',
    );
    expect(text.length).toBeLessThan(1_100_000);
    expect(flood.decisions).toMatchObject([{ isAllowed: false, reason: 'too-many-bytes' }]);
    const upload = await start({}, { maxSentBytes: 100_000 });
    await say(
      upload.client(),
      `POST http://files.example.org/ HTTP/1.1\r\nHost: files.example.org\r\nContent-Length: 400000\r\n\r\n`,
      Buffer.alloc(400_000),
    );
    expect(upload.decisions).toMatchObject([{ isAllowed: false, reason: 'too-many-bytes' }]);
    await upload.internet.close();
    expect(upload.internet.arrivedBytes()).toBeLessThan(110_000);
  });

  it('opens no more connections than allowed', async () => {
    const place = await start({}, { maxConnections: 2 });
    for (let count = 0; count < 4; count += 1)
      await say(place.client(), 'GET http://files.example.org/ HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
    expect(place.decisions.map(({ reason }) => reason)).toEqual([
      'listed',
      'listed',
      'too-many-connections',
      'too-many-connections',
    ]);
    expect(place.internet.opened.length).toBe(2);
  });

  it(
    `opens to nothing unlisted for ${nearTargets} targets that are like a listed one`,
    { timeout: 600_000 },
    async () => {
      for (let seed = 0; seed * atOnce < nearTargets; seed += 1) {
        const place = await start();
        const tries = [...fuzzedTargets(atOnce, 11 + seed)].map((target) => {
          const client = place.client();
          const over = say(client, `CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
          client.end();
          return over;
        });
        await Promise.all(tries);
        expect(place.internet.opened.filter((each) => each !== '203.0.113.7:443')).toEqual([]);
        expect(place.internet.lookedUp.filter((each) => each !== 'files.example.org')).toEqual([]);
        expect(place.decisions.length).toBeGreaterThan(atOnce / 2);
      }
    },
  );

  it('ends every connection when the command does', async () => {
    const internet = await standInInternet({ names, answer: () => undefined });
    const decisions: NetworkDecision[] = [];
    const proxy = createAllowListProxy({
      hosts: new Set(listed),
      limits: usualLimits,
      outward: internet.outward,
      onDecision: (each) => void decisions.push(each),
    });
    opened.push(() => internet.close());
    const [mine, its] = duplexPair();
    mine.on('error', () => undefined);
    proxy.handle(its);
    const ended = connected(mine, 'files.example.org:443');
    await ended;
    proxy.close();
    await new Promise((resolve) => (its.destroyed ? resolve(null) : its.once('close', resolve)));
    expect(internet.opened).toEqual(['203.0.113.7:443']);
  });
});

describe('the network proxy behind a proxy of this machine', () => {
  it('names the host to that proxy, with its credentials, and still checks the name in TLS', async () => {
    const asked: string[] = [];
    const upstream = await listening((socket) => {
      socket.once('data', (bytes: Buffer) => {
        asked.push(bytes.toString('latin1'));
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.on('data', () => asked.push('more'));
      });
    });
    const place = await start({ proxyFor: () => new URL(`http://me:pass%20word@127.0.0.1:${upstream}`) });
    const client = place.client();
    expect(await connected(client, 'files.example.org:443')).toContain('200');
    expect(asked[0]).toContain('CONNECT files.example.org:443 HTTP/1.1');
    expect(asked[0]).toContain(`Proxy-Authorization: Basic ${Buffer.from('me:pass word').toString('base64')}`);
    await say(client, 'not tls');
    expect(asked.length).toBe(1);
    expect(verdicts(place)).toEqual(['files.example.org not-tls']);
  });

  it.each(['socks5://127.0.0.1:1', 'not a url at all'])(
    'does not bypass a proxy that cannot be used: %s',
    async (text) => {
      const place = await start({ proxyFor: () => new URL(text) });
      expect(await connected(place.client(), 'files.example.org:443')).toContain('502');
      expect(place.internet.opened).toEqual([]);
    },
  );
});

async function listening(onSocket: (socket: Socket) => void): Promise<number> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(() => new Promise((resolve) => server.close(() => resolve())));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
