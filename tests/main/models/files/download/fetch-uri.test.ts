import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { success } from '@shared/errors.ts';
import { createFetchUri } from '../../../../../src/main/models/files/download/fetch-uri.ts';
import { createNetFetch } from '../../../../../src/main/lib/net/net-fetch.ts';
import { selfSigned } from '../../../../fakes/self-signed.ts';

const content = Buffer.alloc(300_000, 'a model and its weights ');
let dir: string;
let path: string;
const servers: Server[] = [];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dewpoint-fetch-'));
  path = join(dir, 'm.gguf.download');
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    if ('closeAllConnections' in server && typeof server.closeAllConnections === 'function')
      server.closeAllConnections();
    server.close();
  }
  await rm(dir, { recursive: true, force: true });
});

async function listen(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  return `127.0.0.1:${typeof bound === 'object' && bound !== null ? bound.port : 0}`;
}

interface Source {
  /** Cuts the connection, if it is due, after some of it arrived. */
  readonly onProgress: (bytes: number) => void;
  readonly answer: RequestListener;
  /** The requested ranges. */
  readonly ranges: string[];
  readonly seen: string[];
}

/**
 * Serves one file with ranges at any path. Connection n sends `cuts[n]` bytes and is then cut. 0: it is cut at once.
 */
function source(cuts: readonly number[] = []): Source {
  const ranges: string[] = [];
  const seen: string[] = [];
  let open: { readonly from: number; readonly cut: () => void } | null = null;
  const onProgress = (bytes: number): void => {
    if (open !== null && bytes > open.from) open.cut();
  };
  const answer: RequestListener = (request, response) => {
    const cut = cuts[ranges.length];
    ranges.push(request.headers.range ?? 'all');
    seen.push(`${request.url ?? ''} ${request.headers.authorization ?? ''}`.trim());
    const refused = /^\/(\d+)$/u.exec(request.url ?? '')?.[1];
    if (refused !== undefined) return void response.writeHead(Number(refused)).end();
    if (cut === 0) return void request.socket.destroy();
    const from = Number(/bytes=(\d+)-/u.exec(request.headers.range ?? '')?.[1] ?? 0);
    if (from >= content.length) {
      return void response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end();
    }
    response.writeHead(request.headers.range === undefined ? 200 : 206, {
      'content-length': content.length - from,
      'content-range': `bytes ${from}-${content.length - 1}/${content.length}`,
    });
    open = cut === undefined ? null : { from, cut: () => request.socket.destroy() };
    if (cut === undefined) response.end(content.subarray(from));
    else response.write(content.subarray(from, from + cut));
  };
  return { answer, onProgress, ranges, seen };
}

const quiet = { signal: new AbortController().signal, onProgress: () => undefined };
const create = (options: Partial<Parameters<typeof createFetchUri>[0]> = {}) =>
  createFetchUri({ fetch, env: {}, ...options });

it("a download fetches an address, and sends the hub's token only to the hub", async () => {
  const { answer, seen } = source();
  const address = `http://${await listen(createServer(answer))}`;
  const fetchUri = create({ env: { HF_ENDPOINT: `${address}/`, HF_TOKEN: 'secret' } });
  const progress: number[] = [];
  const onProgress = (bytes: number): void => void progress.push(bytes);
  expect(await fetchUri('hf:owner/repo/folder/m.gguf', path, { ...quiet, onProgress })).toEqual(success(null));
  expect((await readFile(path)).equals(content)).toBe(true);
  expect(progress.at(-1)).toBe(content.length);
  expect(await fetchUri(`${address}/m.gguf`, join(dir, 'other'), quiet)).toEqual(success(null));
  expect(seen).toEqual(['/owner/repo/resolve/main/folder/m.gguf Bearer secret', '/m.gguf']);
});

it('a download goes on at once after a cut, and does not fetch a whole file again', async () => {
  const { answer, onProgress, ranges } = source([100_000, 50_000]);
  const address = `http://${await listen(createServer(answer))}/m.gguf`;
  expect(await create()(address, path, { ...quiet, onProgress })).toEqual(success(null));
  expect((await readFile(path)).equals(content)).toBe(true);
  expect(await create()(address, path, quiet)).toEqual(success(null));
  const begun = ranges.map((range) => Number(/\d+/u.exec(range)?.[0] ?? 0));
  expect(begun).toEqual([0, expect.any(Number), expect.any(Number), content.length]);
  expect(begun).toEqual([...new Set(begun)].sort((left, right) => left - right));
});

it('a download keeps its part when the source goes away, and goes on from there next time', async () => {
  const { answer, onProgress, ranges } = source([100_000, 0, 0]);
  const address = `http://${await listen(createServer(answer))}/m.gguf`;
  expect(await create()(address, path, { ...quiet, onProgress })).toMatchObject({
    ok: false,
    error: { code: 'network', hint: expect.stringContaining('What was downloaded is kept') },
  });
  const { size } = await stat(path);
  expect(size).toBeGreaterThan(0);
  expect(await create()(address, path, quiet)).toMatchObject({ ok: false });
  expect(await create()(address, path, quiet)).toEqual(success(null));
  expect((await readFile(path)).equals(content)).toBe(true);
  expect(ranges).toEqual(['all', ...Array.from({ length: 3 }, () => `bytes=${size}-`)]);
});

it('a download begins again when the source supports no ranges', async () => {
  const address = await listen(createServer((_request, response) => response.end(content)));
  await writeFile(path, 'the beginning of another');
  expect(await create()(`http://${address}/m.gguf`, path, quiet)).toEqual(success(null));
  expect((await readFile(path)).equals(content)).toBe(true);
});

it('a download gives up a silent source, and ends when it is cancelled', async () => {
  const abort = new AbortController();
  const address = `http://${await listen(createServer((_request, response) => void response.write('a')))}/m.gguf`;
  expect(await create({ stalledMs: 1000 })(address, path, quiet)).toMatchObject({
    ok: false,
    error: { code: 'network', message: `${address} has sent nothing for 1 seconds.` },
  });
  const options = { signal: abort.signal, onProgress: () => abort.abort() };
  expect(await create()(address, path, options)).toMatchObject({ ok: false, error: { code: 'cancelled' } });
});

it('a download has different errors for a gated model, a missing one and no answer', async () => {
  const address = `http://${await listen(createServer(source().answer))}`;
  const said = async (uri: string) => {
    const reply = await create()(uri, path, quiet);
    return reply.ok ? '' : reply.error.message;
  };
  expect(await said(`${address}/401`)).toContain('is gated');
  expect(await said(`${address}/403`)).toContain('is gated');
  expect(await said(`${address}/404`)).toContain('was not found');
  expect(await said(`${address}/500`)).toContain('status 500');
  expect(await said('http://127.0.0.1:1/m.gguf')).toContain('could not be downloaded');
});

/** Opens a file on a disk that has room for only this many writes. */
const openOnFullDisk = (writes: number) => async (name: string) => {
  const file = await open(name, 'a+');
  const append = file.appendFile.bind(file);
  let left = writes;
  file.appendFile = async (data, options) => {
    if (left === 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    left -= 1;
    return append(data, options);
  };
  return file;
};

it('a download keeps its part when the disk is full, and goes on when there is room', async () => {
  const { answer, ranges } = source();
  const address = `http://${await listen(createServer(answer))}/m.gguf`;
  expect(await create({ openFile: openOnFullDisk(1) })(address, path, quiet)).toMatchObject({
    ok: false,
    error: { code: 'disk-full', hint: 'What was downloaded is kept. Free some space and try again.' },
  });
  const { size } = await stat(path);
  expect(size).toBeGreaterThan(0);
  expect(await create()(address, path, quiet)).toEqual(success(null));
  expect((await readFile(path)).equals(content)).toBe(true);
  expect(ranges).toEqual(['all', `bytes=${size}-`]);
});

it('a download uses the proxy and the certificates of the settings or the environment', async () => {
  const { key, cert } = selfSigned(['models.invalid']);
  const target = await listen(createTlsServer({ key, cert }, source().answer));
  const asked: string[] = [];
  const proxy = createServer();
  proxy.on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    const [host, port] = target.split(':');
    const upstream = connect(Number(port), host, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    upstream.pipe(socket).pipe(upstream);
    for (const end of [upstream, socket]) end.on('error', () => undefined);
  });
  const url = `http://${await listen(proxy)}`;
  const certificates = join(dir, 'ca.pem');
  await writeFile(certificates, cert);
  const through = (connection: Parameters<typeof createNetFetch>[0], env = {}) =>
    create({ fetch: createNetFetch(connection, env) })('https://models.invalid/m.gguf', path, quiet);
  expect(await through(() => ({ proxy: url, certificates: null }))).toMatchObject({ error: { code: 'network' } });
  expect(await through(() => ({ proxy: url, certificates }))).toEqual(success(null));
  await rm(path);
  expect(await through(() => ({ proxy: null, certificates }), { HTTPS_PROXY: url })).toEqual(success(null));
  expect((await readFile(path)).equals(content)).toBe(true);
  const direct = `http://${await listen(createServer(source().answer))}/m.gguf`;
  const excepted = createNetFetch(() => ({ proxy: null, certificates }), { HTTP_PROXY: url, NO_PROXY: '127.0.0.1' });
  expect(await create({ fetch: excepted })(direct, join(dir, 'direct'), quiet)).toEqual(success(null));
  expect(asked).toEqual(['models.invalid:443', 'models.invalid:443', 'models.invalid:443']);
});

it('a download trusts the certificates in NODE_EXTRA_CA_CERTS', async () => {
  const { key, cert } = selfSigned(['localhost']);
  const address = await listen(createTlsServer({ key, cert }, source().answer));
  const certificates = join(dir, 'extra.pem');
  await writeFile(certificates, cert);
  const netFetch = pathToFileURL(resolve('src/main/lib/net/net-fetch.ts')).href;
  const script = `
    import { createNetFetch } from '${netFetch}';
    const reach = createNetFetch(() => ({ proxy: null, certificates: null }), process.env);
    const said = await reach('https://localhost:${address.split(':')[1]}/m.gguf').then((reply) => reply.status, (error) => error.cause.message);
    console.log(said);`;
  const said = async (env: NodeJS.ProcessEnv): Promise<string> => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env });
    return stdout.trim();
  };
  const { NODE_EXTRA_CA_CERTS: _own, ...env } = process.env;
  expect(await said({ ...env, NODE_EXTRA_CA_CERTS: certificates })).toBe('200');
  expect(await said(env)).toContain('Its certificate is not trusted');
});
