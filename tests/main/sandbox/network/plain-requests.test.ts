import { Duplex, duplexPair } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { createAllowListProxy } from '../../../../src/main/sandbox/network/allow-list-proxy.ts';
import {
  usualLimits,
  type NetworkDecision,
  type NetworkLimits,
} from '../../../../src/main/sandbox/network/network-decision.ts';
import type { OutboundConnections } from '../../../../src/main/sandbox/network/outbound-connections.ts';
import { fuzzedRequests } from '../../../fakes/fuzzed-requests.ts';
import { rawUpstream, type RawUpstream } from '../../../fakes/raw-upstream.ts';

const host = 'files.example.org';
const base = `http://${host}`;

interface Place {
  readonly upstream: RawUpstream;
  readonly decisions: NetworkDecision[];
  readonly client: () => Duplex;
  /** The proxy's own end of each client, in order. */
  readonly ends: readonly Duplex[];
}

const opened: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

interface PlaceOptions {
  readonly limits?: Partial<NetworkLimits>;
  readonly outward?: Partial<OutboundConnections>;
}

async function start(upstream: RawUpstream, { limits = {}, outward = {} }: PlaceOptions = {}): Promise<Place> {
  const decisions: NetworkDecision[] = [];
  const proxy = createAllowListProxy({
    hosts: new Set([host]),
    limits: { ...usualLimits, ...limits },
    outward: { ...upstream.outward, ...outward },
    onDecision: (decision) => void decisions.push(decision),
  });
  opened.push(
    () => upstream.close(),
    () => proxy.close(),
  );
  const ends: Duplex[] = [];
  const client = (): Duplex => {
    const [mine, its] = duplexPair();
    mine.on('error', () => undefined);
    ends.push(its);
    proxy.handle(its);
    return mine;
  };
  return { upstream, decisions, client, ends };
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

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; !isTrue(); tries += 1) {
    if (tries > 400) throw new Error('it did not come');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('a plain request to a host', () => {
  it.each(['GET', 'DELETE', 'POST'])('keeps its body when %s tries to drop its length', async (method) => {
    const place = await start(await rawUpstream());
    const inner = `GET /smuggled HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const text = await say(
      place.client(),
      `${method} ${base}/a HTTP/1.1\r\nHost: ${host}\r\nConnection: close, Content-Length\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`,
    );
    expect(text).toContain(' 400 ');
    expect(place.upstream.reads()).toEqual([]);
  });

  it('is rejected when it has more headers than the parser keeps', async () => {
    const place = await start(await rawUpstream());
    const inner = `GET /smuggled HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const many = 'a:\r\n'.repeat(2_010);
    const text = await say(
      place.client(),
      `GET ${base}/a HTTP/1.1\r\nHost: ${host}\r\n${many}Content-Length: ${inner.length}\r\nConnection: close\r\n\r\n${inner}`,
    );
    expect(text).toContain(' 400 ');
    expect(place.upstream.reads()).toEqual([]);
  });

  it.each([
    ['another version', `GET ${base}/a HTTP/2.0\r\nHost: ${host}\r\n\r\n`],
    ['no version', `GET ${base}/a\r\n\r\n`],
    ['pieces in a version without them', `POST ${base}/a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    [
      'a coding within its pieces',
      `POST ${base}/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['two hosts', `GET ${base}/a HTTP/1.1\r\nHost: ${host}\r\nHost: x\r\n\r\n`],
    ['a fragment', `GET ${base}/a#b HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
  ])('is refused with %s', async (_what, text) => {
    const place = await start(await rawUpstream());
    expect(await say(place.client(), text)).toContain(' 400 ');
    expect(place.upstream.reads()).toEqual([]);
    expect(place.decisions.map(({ reason }) => reason)).toEqual(['bad-request']);
  });

  it('arrives as one request with its own body, for 800 hostile clients', async () => {
    const place = await start(await rawUpstream(), { limits: { idleMs: 300, maxSentBytes: 1e9 } });
    const clients = [...fuzzedRequests(800, 7)];
    const wanted = new Map(clients.flatMap(({ bodies }) => [...bodies]));
    for (let at = 0; at < clients.length; at += 20)
      await Promise.all(clients.slice(at, at + 20).map(({ writes }) => say(place.client(), ...writes)));
    const reads = place.upstream.reads();
    const seen = reads.flatMap(({ requests }) => requests);
    expect(reads.filter(({ requests, rest }) => requests.length > 1 || (requests.length === 1 && rest !== ''))).toEqual(
      [],
    );
    expect(seen.filter(({ path, body }) => wanted.get(path) !== body).map(({ path }) => path)).toEqual([]);
    expect(new Set(seen.map((request) => request.host))).toEqual(new Set([host]));
    await until(() => place.decisions.filter(({ address }) => address !== null).length >= reads.length);
    expect(place.decisions.filter(({ address }) => address !== null).length).toBe(reads.length);
    const honest = [...wanted].filter(([, body]) => body !== null).length;
    expect(seen.length).toBeGreaterThan(honest / 2);
  }, 60_000);

  it('loses all headers about the connection, in any spelling', async () => {
    const place = await start(await rawUpstream());
    const own =
      'Proxy: x\r\nProxy-Connection: x\r\nTransfer_Encoding: x\r\nContent.Length: 9\r\nHTTP2-Settings: x\r\nKeep-Alive: 3';
    await say(place.client(), `GET ${base}/a HTTP/1.1\r\nHost: x\r\n${own}\r\nX-Kept: 1\r\nConnection: close\r\n\r\n`);
    expect(place.upstream.reads().flatMap(({ requests }) => requests.map(({ names }) => names))).toEqual([
      ['x-kept', 'host', 'connection'],
    ]);
  });
});

describe('the answer of a host', () => {
  const ask = `GET ${base}/a HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  const ended = { isEnded: true };

  it.each([
    ['a length that is not to be passed on', 'Connection: content-length\r\nContent-Length: 2\r\n\r\nok'],
    ['two lengths', 'Content-Length: 2\r\nContent-Length: 2\r\n\r\nok'],
    ['a length and pieces', 'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'],
    ['a coding within its pieces', 'Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'],
    ['more headers than anyone sends', `${'a:\r\n'.repeat(2_010)}Content-Length: 2\r\n\r\nok`],
    ['a broken line', 'X-A: b\rX-B: c\r\nContent-Length: 2\r\n\r\nok'],
  ])('is refused with %s', async (_what, rest) => {
    const place = await start(await rawUpstream(`HTTP/1.1 200 OK\r\n${rest}`, ended));
    expect((await say(place.client(), ask)).split('\r\n')[0]).toContain(' 502 ');
  });

  it.each([
    ['behind its end', 'Content-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil'],
    ['behind its last piece', 'Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\nevil'],
  ])('ends at its end: nothing %s is passed on', async (_what, rest) => {
    const place = await start(await rawUpstream(`HTTP/1.1 200 OK\r\n${rest}`, ended));
    const text = await say(place.client(), ask);
    expect(text).toContain('ok');
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(text).not.toContain('evil');
  });

  it('gets the framing of the proxy', async () => {
    const place = await start(
      await rawUpstream('HTTP/1.1 200 OK\r\nProxy-Status: x\r\nX-Kept: 1\r\n\r\nuntil the end', ended),
    );
    const text = await say(place.client(), ask);
    expect(text.toLowerCase()).not.toContain('proxy-status');
    expect(text).toMatch(
      /x-kept: 1\r\n[\s\S]*Transfer-Encoding: chunked[\s\S]*\r\n\r\nd\r\nuntil the end\r\n0\r\n\r\n$/i,
    );
  });

  it('cannot be delayed without end', async () => {
    const place = await start(await rawUpstream('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(200)), {
      limits: { idleMs: 60_000 },
    });
    expect((await say(place.client(), ask)).split('\r\n')[0]).toContain(' 502 ');
  });
});

describe('the proxy of a demanding client', () => {
  const waiting = `GET ${base}/a HTTP/1.1\r\nHost: ${host}\r\n\r\n`;

  it('opens one connection at a time, and ends a client that sends far ahead', async () => {
    const place = await start(await rawUpstream('', {}));
    const few = place.client();
    few.write(waiting.repeat(10));
    await until(() => place.upstream.reads().length > 0);
    await say(place.client(), waiting.repeat(100));
    expect(place.upstream.reads().length).toBeLessThan(3);
    expect(place.decisions.filter(({ reason }) => reason === 'too-many-connections').length).toBeGreaterThan(0);
  });

  it('caps the requests under way, and drops those of a client that has gone', async () => {
    const place = await start(await rawUpstream('', {}), { limits: { maxOpen: 3 } });
    const clients = Array.from({ length: 5 }, () => place.client());
    const refused = clients.map((client) => say(client, waiting));
    await until(() => place.decisions.length === 2);
    expect((await Promise.all(refused.slice(3))).map((text) => text.split('\r\n')[0])).toEqual([
      expect.stringContaining(' 502 '),
      expect.stringContaining(' 502 '),
    ]);
    for (const end of place.ends) end.destroy();
    await until(() => place.decisions.length === 5);
    const later = place.client();
    later.write(waiting);
    await until(() => place.upstream.reads().length === 4);
  });

  it('warns once about a client that sends nonsense, however much it sends', async () => {
    const place = await start(await rawUpstream());
    const client = place.client();
    const text = say(client, '\u0000');
    for (let count = 0; count < 50 && !client.destroyed; count += 1) {
      client.write('garbage');
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await text).toContain(' 400 ');
    expect(place.decisions.length).toBe(1);
  });

  it('sends a request nowhere else while an answer is outstanding', async () => {
    const place = await start(await rawUpstream('', {}));
    const text = await say(place.client(), `${waiting}CONNECT ${host}:443 HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect(text).toBe('');
    expect(place.upstream.reads().length).toBeLessThan(2);
  });

  it('survives a proxy of this machine whose password holds a bare percent sign', async () => {
    const upstream = await rawUpstream();
    const place = await start(upstream, {
      outward: {
        proxyFor: () => new URL('http://me:100%@127.0.0.1:1'),
        connectProxy: (_proxy, signal) => upstream.outward.connect('203.0.113.7', 80, signal),
      },
    });
    await say(place.client(), `GET ${base}/a HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    await say(place.client(), `CONNECT ${host}:443 HTTP/1.1\r\nHost: x\r\n\r\n`, 'no TLS');
    expect(place.decisions.map(({ reason }) => reason)).toEqual(['listed', 'not-tls']);
    expect(upstream.reads()[0]?.requests[0]?.names).toContain('proxy-authorization');
  });
});
