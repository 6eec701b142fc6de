import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createNetFetch } from '../../../../src/main/lib/net/net-fetch.ts';
import { fieldOf } from '../../../../src/shared/unknown-value.ts';
import { isProxyExcepted } from '../../../../src/main/lib/net/no-proxy.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A proxy that refuses every request. */
async function proxy(): Promise<string> {
  const server = createServer();
  server.on('connect', (_request, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
  servers.push(server);
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Nothing exists at these names. */
describe('the setting no_proxy', () => {
  const rows: readonly (readonly [string, string, boolean])[] = [
    ['a.invalid', 'http://a.invalid/', true],
    ['a.invalid', 'http://x.y.a.invalid/', true],
    ['a.invalid', 'http://ba.invalid/', false],
    ['.a.invalid', 'http://x.a.invalid/', true],
    ['*.a.invalid', 'http://x.a.invalid/', true],
    ['b.invalid, A.INVALID', 'http://x.a.invalid/', true],
    ['b.invalid a.invalid', 'http://a.invalid/', true],
    ['a.invalid:81', 'http://a.invalid:81/', true],
    ['a.invalid:81', 'http://a.invalid/', false],
    ['*', 'http://a.invalid/', true],
    ['b.invalid,*', 'http://a.invalid/', true],
    ['', 'http://a.invalid/', false],
    ['198.51.100.0/24', 'http://198.51.100.7:9/', true],
    ['198.51.100.0/24', 'http://198.51.101.7/', false],
    ['198.51.100.0/24:80', 'http://198.51.100.7:81/', false],
    ['198.51.100.0/33', 'http://198.51.100.7/', false],
    ['100.7', 'http://198.51.100.7/', false],
    ['2001:db8::/32', 'http://[2001:db8:1::9]:9/', true],
    ['[2001:db8::9]:81', 'http://[2001:db8::9]:81/', true],
    ['2001:0db8:0::9', 'http://[2001:db8::9]:9/', true],
    ['2001:db8::/32', 'http://[2001:db9::9]/', false],
    ['198.51.100.0/24', 'http://[::ffff:198.51.100.7]:9/', true],
    ['198.51.100.*', 'http://198.51.100.7/', true],
    ['198.51.*.*', 'http://198.51.100.7:9/', true],
    ['198.51.100.*', 'http://198.51.101.7/', false],
    ['*a.invalid', 'http://ba.invalid/', true],
    ['a.*.invalid', 'http://a.b.c.invalid/', true],
    ['a.*.b.invalid', 'http://a.b.invalid/', false],
    ['*:81', 'http://a.invalid:81/', true],
    ['*:81', 'http://a.invalid/', false],
    ['[2001:db8::/32]:9', 'http://[2001:db8::9]:9/', true],
    ['[2001:db8::]/32:9', 'http://[2001:db8::9]:8/', false],
    ['a.invalid.', 'http://x.a.invalid./', true],
  ];

  // Catches: sockets and containers that bypass a proxy which requests use, or the other way around.
  it.each(rows)('"%s" applies to %s: %s, for requests and for everything else', async (list, url, isExcepted) => {
    const env = { http_proxy: await proxy(), no_proxy: list };
    const reach = createNetFetch(() => ({ proxy: null, certificates: null }), env);
    const failure: unknown = await reach(url).catch((error: unknown) => fieldOf(error, 'cause'));
    expect(/The proxy .* blocked this/u.test(String(failure))).toBe(!isExcepted);
    const { hostname, port } = new URL(url);
    expect(isProxyExcepted(list, hostname, Number(port) || 80)).toBe(isExcepted);
  });
});
