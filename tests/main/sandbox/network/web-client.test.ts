import { createServer, type AddressInfo, type Server } from 'node:net';
import { connect } from 'node:net';
import zlib, { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createWebClient, type WebLimits } from '../../../../src/main/sandbox/network/web-client.ts';
import type { WebRequest, WebUse } from '../../../../src/main/tools/web/web-request.ts';
import { checkRequest, requestThroughRedirects } from '../../../../src/main/tools/web/web-request.ts';
import { valueOf } from '../../../../src/shared/errors.ts';
import { standInInternet, type StandInInternet, type StandInOptions } from '../../../fakes/stand-in-internet.ts';

const publicAddress = '203.0.113.7';
const names = { 'docs.example.org': [[publicAddress]], 'other.example.org': [[publicAddress]] };
const get: WebRequest = { method: 'GET', url: 'https://docs.example.org/', headers: {}, body: null, why: '' };
/** The same numbers in each run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

const neverEnds = new AbortController().signal;

let open: StandInInternet[] = [];
const raw: Server[] = [];
afterEach(async () => {
  for (const one of open) await one.close();
  open = [];
  for (const server of raw.splice(0)) server.close();
});

interface Scene {
  readonly internet: StandInInternet;
  readonly uses: WebUse[];
  readonly get: (url: string, more?: Partial<WebRequest>) => Promise<string>;
}

/** The result of a request as one line: `200 text`, or the code of the failure with its message. */
async function scene(options: Partial<StandInOptions> = {}, limits: Partial<WebLimits> = {}): Promise<Scene> {
  const internet = await standInInternet({ names, ...options });
  open.push(internet);
  const uses: WebUse[] = [];
  const exchange = createWebClient(internet.outward, limits);
  return {
    internet,
    uses,
    get: async (url, more = {}) => {
      const reply = await requestThroughRedirects(
        { ...get, url, ...more },
        {
          allow: async (request) => ({ ok: true, value: request }),
          send: (request) => exchange(request, { signal: neverEnds, onUse: (use) => uses.push(use) }),
        },
      );
      if (!reply.ok) return `${reply.error.code}: ${reply.error.message}`;
      const { status, bytes, isCut } = reply.value;
      return `${status} ${Buffer.from(bytes).toString('utf8')}${isCut ? ' (cut)' : ''}`;
    },
  };
}

describe('a web request of the app', () => {
  it('reaches a public host with and without encryption, and counts the bytes', async () => {
    const { get: fetched, uses } = await scene();
    expect(await fetched('https://docs.example.org/a?b=c#d')).toBe('200 GET /a?b=c\n');
    expect(await fetched('http://docs.example.org/')).toBe('200 GET /\n');
    expect(uses).toMatchObject([
      { host: 'docs.example.org', port: 443, isAllowed: true, address: publicAddress },
      { host: 'docs.example.org', port: 80, isAllowed: true, address: publicAddress },
    ]);
    expect(uses.every(({ sentBytes, receivedBytes }) => sentBytes > 0 && receivedBytes > 0)).toBe(true);
  });

  // Bug: a second look-up of the name, after the check, returns another address (DNS rebinding).
  it('goes to the address that was checked, because the name is looked up once', async () => {
    const { get: fetched, internet } = await scene({
      names: { 'docs.example.org': [[publicAddress], ['127.0.0.1']] },
    });
    expect(await fetched('https://docs.example.org/')).toMatch(/^200 /u);
    expect(internet.lookedUp).toEqual(['docs.example.org']);
    expect(internet.opened).toEqual([`${publicAddress}:443`]);
    expect(await fetched('https://docs.example.org/')).toContain('private address');
    expect(internet.opened).toHaveLength(1);
  });

  // Bug: for a name with a public and a private address, the client connects to whichever comes first.
  it.each([['127.0.0.1'], ['169.254.169.254'], ['::1'], ['::ffff:10.0.0.1'], ['fd00::1'], ['100.64.1.1'], ['fe80::1']])(
    'opens no connection where a name leads to %s, even beside a public address',
    async (address) => {
      const { get: fetched, internet } = await scene({ names: { 'docs.example.org': [[publicAddress, address]] } });
      expect(await fetched('https://docs.example.org/')).toContain('Leads to a private address');
      expect(internet.opened).toEqual([]);
    },
  );

  it.each([
    'http://127.0.0.1/',
    'http://0177.0.0.1/',
    'http://0x7f000001/',
    'http://2130706433/',
    'http://127.1/',
    'http://[::1]/',
    'http://[::ffff:169.254.169.254]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://localhost/',
    'http://printer.local/',
    'http://metadata.google.internal/',
    'http://docs.example.org./',
    'http://docs.example.org:8080/',
    'https://name:word@docs.example.org/',
    'https://name@docs.example.org/',
    'file:///etc/passwd',
    'ftp://docs.example.org/',
    'docs.example.org',
  ])('is not made to %s', (url) => {
    expect(checkRequest({ ...get, url })).toMatchObject({ ok: false, error: { code: 'bad-input' } });
  });

  // Bug: a spelling of a private address that is missing in the list above. The numbers take every form that a parser
  // accepts.
  it('is not made to a numeric address, in any spelling', () => {
    const random = randomNumbers(7);
    const oneOf = (all: readonly string[]): string => all[Math.floor(random() * all.length)] ?? '';
    const spell = (number: number): string =>
      oneOf([String(number), `0x${number.toString(16)}`, `0${number.toString(8)}`, `0x0${number.toString(16)}`]);
    for (let count = 0; count < 3_000; count += 1) {
      const parts = Array.from({ length: 4 }, () => Math.floor(random() * 256));
      const [a = 0, b = 0, c = 0, d = 0] = parts;
      const whole = ((a * 256 + b) * 256 + c) * 256 + d;
      const host = oneOf([
        parts.map(spell).join('.'),
        spell(whole),
        `${spell(a)}.${spell((b * 256 + c) * 256 + d)}`,
        `[::ffff:${parts.join('.')}]`,
        `[64:ff9b::${parts.join('.')}]`,
        `[${Array.from({ length: 8 }, () => Math.floor(random() * 65_536).toString(16)).join(':')}]`,
        `${parts.map(spell).join('.')}.`,
        parts.map(spell).join('%2e'),
      ]);
      expect(checkRequest({ ...get, url: `http://${host}/` }).ok, host).toBe(false);
    }
  });

  it('is not made to an endless address', () => {
    expect(checkRequest({ ...get, url: `https://docs.example.org/${'a'.repeat(5_000)}` }).ok).toBe(false);
  });

  it('carries no header that speaks for a person or the connection', () => {
    for (const name of ['Cookie', 'authorization', 'Host', 'proxy-authorization', 'connection', 'x-forwarded-for'])
      expect(checkRequest({ ...get, headers: { [name]: 'x' } }).ok, name).toBe(false);
    expect(checkRequest({ ...get, headers: { Accept: 'a\r\nHost: b' } }).ok).toBe(false);
    expect(checkRequest({ ...get, headers: { Accept: 'text/plain' } }).ok).toBe(true);
  });
});

describe('a web request to a hostile host', () => {
  // Bug: only the first address is checked, and a redirect leads to a cloud machine's metadata service.
  it.each([
    'http://169.254.169.254/latest',
    'https://[::ffff:169.254.169.254]/',
    'https://localhost/',
    'https://inner.example.org/',
    'http://docs.example.org/down',
    'file:///etc/passwd',
    'https://a:b@docs.example.org/',
  ])('does not follow a redirect to %s', async (location) => {
    const { get: fetched, internet } = await scene({
      names: { ...names, 'inner.example.org': [['10.1.1.1']] },
      answer: (_request, response) => response.writeHead(302, { location }).end(),
    });
    expect(await fetched('https://docs.example.org/')).toMatch(/leads elsewhere|private address/u);
    expect(internet.opened).toEqual([`${publicAddress}:443`]);
  });

  it('gives up on redirects in a circle', async () => {
    const { get: fetched, uses } = await scene({
      answer: (_request, response) => response.writeHead(302, { location: '/again' }).end(),
    });
    expect(await fetched('https://docs.example.org/')).toContain('after 5 redirects');
    expect(uses).toHaveLength(6);
  });

  it('follows no redirect of a write, and takes no key to another host', async () => {
    const asked: string[] = [];
    const { get: fetched } = await scene({
      answer: (request, response) => {
        asked.push(`${request.method} ${request.headers.host} ${String(request.headers['x-key'])}`);
        response.writeHead(307, { location: 'https://other.example.org/' }).end();
      },
    });
    expect(await fetched('https://docs.example.org/', { method: 'POST', body: 'x' })).toMatch(/^307/u);
    const service = { headers: { 'x-key': 'k' }, isInner: false };
    expect(await fetched('https://docs.example.org/', { service })).toMatch(/^307/u);
    expect(asked).toEqual(['POST docs.example.org undefined', 'GET docs.example.org k']);
  });

  it('cuts a body without end', async () => {
    const { get: fetched } = await scene(
      {
        answer: (_request, response) => {
          const more = (): void => {
            while (response.write('a'.repeat(1_000)));
          };
          response.on('drain', more).on('error', () => undefined);
          more();
        },
      },
      { mostBytes: 10_000 },
    );
    expect(await fetched('https://docs.example.org/')).toHaveLength('200 '.length + 10_000 + ' (cut)'.length);
  });

  // Bug: the limit counts the bytes received, not the unpacked ones.
  it('holds no more than the limit of gzip that unpacks to 64 MiB', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const { get: fetched } = await scene(
      { answer: (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb) },
      { mostBytes: 10_000 },
    );
    expect(bomb.length).toBeLessThan(100_000);
    expect((await fetched('https://docs.example.org/')).length).toBe('200 '.length + 10_000 + ' (cut)'.length);
  });

  // Bug: a decoder with a hole gets the bytes of any server.
  it('rejects Brotli, which it did not offer', async () => {
    const offers: string[] = [];
    const unpack = vi.spyOn(zlib, 'createBrotliDecompress');
    const { get: fetched } = await scene({
      answer: (request, response) => {
        offers.push(String(request.headers['accept-encoding']));
        response.writeHead(200, { 'content-encoding': 'br' }).end(zlib.brotliCompressSync('hello'));
      },
    });
    expect(await fetched('https://docs.example.org/')).toMatch(
      /^network: docs\.example\.org: The server packed its answer with "br".*was not read\.$/u,
    );
    expect(offers).toEqual(['gzip, deflate']);
    expect(unpack).not.toHaveBeenCalled();
    unpack.mockRestore();
  });

  it.each([
    ['packed twice', 'gzip, gzip', gzipSync(gzipSync('x'))],
    ['no gzip at all', 'gzip', Buffer.from('plain')],
    ['unknown', 'zstd', Buffer.from('x')],
  ] as const)('fails on a body that is %s', async (_name, encoding, body) => {
    const { get: fetched } = await scene({
      answer: (_request, response) => response.writeHead(200, { 'content-encoding': encoding }).end(body),
    });
    expect(await fetched('https://docs.example.org/')).toMatch(/^network: docs\.example\.org/u);
  });

  it('times out when the answer comes a byte at a time', async () => {
    let begun = 0;
    let closed = 0;
    const { get: fetched } = await scene(
      {
        answer: (_request, response) => {
          begun += 1;
          const timer = setInterval(() => response.write('a'), 5);
          response
            .on('error', () => undefined)
            .once('close', () => {
              clearInterval(timer);
              closed += 1;
            });
        },
      },
      { timeoutMs: 150 },
    );
    expect(await fetched('https://docs.example.org/')).toBe('timeout: docs.example.org: No answer within 0.15 s.');
    await expect.poll(() => closed).toBe(begun);
  });

  it.each([
    ['no HTTP', 'SSH-2.0-OpenSSH\r\n'],
    ['a head without end', `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(100_000)}`],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['half of what it said', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nab'],
    ['another protocol', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
  ])('fails on an answer with %s', async (_name, answer) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.end(answer));
    });
    raw.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { internet } = await scene();
    const { port } = server.address() as AddressInfo;
    const outward: typeof internet.outward = {
      ...internet.outward,
      connect: async () => connect(port, '127.0.0.1').on('error', () => undefined),
    };
    const request = valueOf(checkRequest({ ...get, url: 'http://docs.example.org/' }));
    const reply = await createWebClient(outward)(request, { signal: neverEnds, onUse: () => undefined });
    expect(reply).toMatchObject({ ok: false, error: { code: 'network' } });
  });

  it('ends at once when the person cancels, at any point', async () => {
    const { internet } = await scene({ answer: () => undefined });
    const request = valueOf(checkRequest(get));
    const hangs = (): Promise<never> => new Promise(() => undefined);
    for (const part of [{ resolve: hangs }, { connect: hangs }, {}]) {
      const stop = new AbortController();
      const client = createWebClient({ ...internet.outward, ...part });
      const running = client(request, { signal: stop.signal, onUse: () => undefined });
      setTimeout(() => stop.abort(new Error('Stop.')), 30);
      await expect(running).rejects.toThrow('Stop.');
    }
  });
});

describe('a web request to a service of the person', () => {
  it('may reach their own network and any port', async () => {
    const { internet } = await scene({ names: { 'search.lan': [['192.168.1.9']] } });
    const ports: string[] = [];
    const outward: typeof internet.outward = {
      ...internet.outward,
      // A proxy would not know this private name.
      proxyFor: () => new URL('http://proxy.example.org:3128'),
      connect: (address, port, signal) => {
        ports.push(`${address}:${port}`);
        return internet.outward.connect(publicAddress, port === 8888 ? 80 : port, signal);
      },
    };
    const url = 'http://search.lan:8888/search';
    expect(checkRequest({ ...get, url }).ok).toBe(false);
    const own = { ...get, url, service: { headers: {}, isInner: true } };
    const request = valueOf(checkRequest(own));
    const reply = await createWebClient(outward)(request, { signal: neverEnds, onUse: () => undefined });
    expect(reply).toMatchObject({ ok: true, value: { status: 200 } });
    expect(ports).toEqual(['192.168.1.9:8888']);
  });
});
