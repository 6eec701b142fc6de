import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createNetFetch, proxyOf } from '../../../../src/main/lib/net/net-fetch.ts';
import { fieldOf } from '../../../../src/shared/unknown-value.ts';
import { selfSigned } from '../../../fakes/self-signed.ts';

const servers: Server[] = [];

async function listen(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  return `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

/** A proxy that connects every tunnel to one server, whatever host is requested. */
async function proxyTo(target: string): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const proxy = createServer((_request, response) => response.writeHead(500).end());
  proxy.on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    const [host, port] = target.split(':');
    const upstream = connect(Number(port), host, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    upstream.pipe(socket).pipe(upstream);
    for (const end of [upstream, socket]) end.on('error', () => undefined);
  });
  return { url: `http://${await listen(proxy)}`, asked };
}

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

const plain = { proxy: null, certificates: null };
const hello = (): Server => createServer((_request, response) => response.end('hello'));

it('a request uses the proxy of the settings or of the environment', async () => {
  const target = await listen(hello());
  const { url, asked } = await proxyTo(target);
  const bySettings = createNetFetch(() => ({ ...plain, proxy: url }), {});
  const byEnvironment = createNetFetch(() => plain, { HTTPS_PROXY: url, HTTP_PROXY: url });
  for (const reach of [bySettings, byEnvironment]) {
    expect(await (await reach('http://service.invalid:80/x')).text()).toBe('hello');
  }
  expect(asked).toEqual(['service.invalid:80', 'service.invalid:80']);
});

// Catches: prompts for a server on this machine that leave it through a company's proxy.
it('a request to this machine never uses a proxy, in any spelling', async () => {
  const target = await listen(hello());
  const port = target.split(':')[1] ?? '';
  const { url, asked } = await proxyTo('127.0.0.1:9');
  const reach = createNetFetch(() => ({ ...plain, proxy: url }), { NO_PROXY: 'other.invalid' });
  const hosts = [
    '127.0.0.1',
    '0.0.0.0',
    '127.1',
    '2130706433',
    '0x7f.1',
    '[::ffff:127.0.0.1]',
    'localhost.',
    'LOCALHOST',
  ];
  for (const host of [...hosts, 'app.localhost'])
    expect({ host, text: await (await reach(`http://${host}:${port}/x`)).text() }).toEqual({ host, text: 'hello' });
  // Whether anything listens there depends on the machine.
  for (const host of ['127.0.0.2', hostname()]) await reach(`http://${host}:${port}/x`).catch(() => null);
  expect(asked).toEqual([]);
});

it('a failed request names its proxy, without the password', async () => {
  const away = createNetFetch(() => plain, { http_proxy: 'http://me:secret@127.0.0.1:9' });
  const refused: unknown = await away('http://service.invalid/x').catch((error: unknown) => fieldOf(error, 'cause'));
  expect(String(refused)).toContain('ECONNREFUSED 127.0.0.1:9, through the proxy http://127.0.0.1:9 (from http_proxy)');
  expect(String(refused)).not.toContain('secret');
});

it('a response says which proxy it came through', async () => {
  const target = await listen(hello());
  const { url } = await proxyTo(target);
  const reach = createNetFetch(() => ({ ...plain, proxy: url }), {});
  expect(proxyOf(await reach('http://service.invalid:80/x'))).toBe(`${url} (from connection.proxy)`);
  expect(proxyOf(await reach(`http://${target}/x`))).toBe(null);
});

it('a request trusts a private certificate authority only if the settings name it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-ca-'));
  const { key, cert } = selfSigned(['service.invalid']);
  const certificates = join(folder, 'ca.pem');
  await writeFile(certificates, cert);
  const { url, asked } = await proxyTo(
    await listen(createTlsServer({ key, cert }, (_, response) => response.end('hello'))),
  );
  const reach = createNetFetch(() => ({ proxy: url, certificates }), {});
  expect(await (await reach('https://service.invalid/x')).text()).toBe('hello');
  const without = createNetFetch(() => ({ proxy: url, certificates: null }), {});
  await expect(without('https://service.invalid/x')).rejects.toMatchObject({
    cause: expect.objectContaining({ message: expect.stringContaining('connection.certificates') }),
  });
  expect(asked).toEqual(['service.invalid:443', 'service.invalid:443']);
  await rm(folder, { recursive: true, force: true });
});

it('a request fails if the certificates cannot be read', async () => {
  const target = await listen(hello());
  const reach = createNetFetch(() => ({ ...plain, certificates: '/nonexistent/ca.pem' }), {});
  const cause = expect.objectContaining({ message: expect.stringContaining('/nonexistent/ca.pem cannot be read') });
  await expect(reach(`http://${target}/x`)).rejects.toMatchObject({ message: 'fetch failed', cause });
});

it('a request with an invalid proxy names that proxy', async () => {
  const reach = createNetFetch(() => plain, { HTTPS_PROXY: 'http://me:secret@a b' });
  const cause = expect.objectContaining({
    message: expect.stringMatching(/^The proxy http:\/\/a b \(from https_proxy\) cannot be used/u),
  });
  await expect(reach('https://service.invalid/x')).rejects.toMatchObject({ cause });
});

it('a request uses the built-in fetch when nothing is set', async () => {
  const target = await listen(hello());
  expect(await (await createNetFetch(() => plain, {})(`http://${target}/x`)).text()).toBe('hello');
});
