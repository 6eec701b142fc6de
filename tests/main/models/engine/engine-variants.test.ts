import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeviceMemory } from '@shared/models/memory-estimate.ts';
import { createNetFetch } from '../../../../src/main/lib/net/net-fetch.ts';
import { engineLibraryIds, engineVariant, engineVersion } from '../../../../src/main/models/engine/engine-packages.ts';
import type { EngineVariant } from '../../../../src/main/models/engine/engine-packages.ts';
import { createEngineVariants } from '../../../../src/main/models/engine/engine-variants.ts';
import type { EngineVariants, EngineVariantsOptions } from '../../../../src/main/models/engine/engine-variants.ts';
import { createFetchUri } from '../../../../src/main/models/files/download/fetch-uri.ts';
import { testPrograms } from '../../../fakes/test-programs.ts';

const linux = { platform: 'linux', arch: 'x64' } as const;
const signal = new AbortController().signal;
const gib = 2 ** 30;
let dir: string;
let library: EngineVariant;
let archive: Buffer;
let server: Server;
let registry: string;
/** The requests to the registry, and how it answers them. */
let asked: string[];
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dewpoint-variants-'));
  const content = join(dir, 'content', 'package');
  await mkdir(content, { recursive: true });
  await writeFile(join(content, 'package.json'), '{"name": "library"}');
  // Random bytes do not compress, so the archive can be cut in the middle.
  await writeFile(join(content, 'weights.bin'), randomBytes(400_000));
  execFileSync('tar', ['-czf', join(dir, 'library.tgz'), '-C', join(dir, 'content'), 'package']);
  archive = await readFile(join(dir, 'library.tgz'));
  const known = engineVariant('engine/cuda', linux);
  if (known === null) throw new Error('no such library');
  const own = { bytes: archive.length, diskBytes: 2000, sha512: createHash('sha512').update(archive).digest('base64') };
  library = { ...known, ...own, packages: known.packages.map((one) => ({ ...one, ...own })) };
  asked = [];
  answer = whole;
  server = createServer((request, response) => {
    asked.push(`${request.url ?? ''} ${request.headers.range ?? 'all'}`);
    answer(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const bound = server.address();
  registry = `http://127.0.0.1:${typeof bound === 'object' && bound !== null ? bound.port : 0}`;
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(dir, { recursive: true, force: true });
});

function whole(request: IncomingMessage, response: ServerResponse): void {
  const from = Number(/bytes=(\d+)-/u.exec(request.headers.range ?? '')?.[1] ?? 0);
  response.writeHead(from > 0 ? 206 : 200, {
    'content-length': archive.length - from,
    ...(from > 0 ? { 'content-range': `bytes ${from}-${archive.length - 1}/${archive.length}` } : {}),
  });
  response.end(archive.subarray(from));
}

/** Sends half of the answer to the first request and cuts the connection. Later requests are answered by `then`. */
function halfAnswered(then: typeof answer): {
  readonly half: number;
  readonly options: Parameters<EngineVariants['ensure']>[1];
} {
  const half = Math.floor(archive.length / 2);
  let cut = (): unknown => undefined;
  answer = (request, response) => {
    if (request.headers.range !== undefined) return then(request, response);
    response.writeHead(200, { 'content-length': archive.length });
    response.write(archive.subarray(0, half));
    cut = () => request.socket.destroy();
  };
  return { half, options: { signal, onProgress: (_phase, doneBytes) => doneBytes === half && cut() } };
}

function variants(more: Partial<EngineVariantsOptions> = {}): EngineVariants {
  return createEngineVariants({
    ...linux,
    dir: join(dir, 'engines'),
    programs: testPrograms(),
    registry: async () => registry,
    download: createFetchUri({ fetch, env: {} }),
    readFacts: async () => nvidia,
    ...more,
  });
}

const noProgress = { signal, onProgress: () => undefined };
const nvidia = {
  ...linux,
  cards: [{ name: 'NVIDIA H200', maker: 'nvidia', isIntegrated: false, totalBytes: 141 * gib }],
  nvidia: { driver: '590.48.01', capability: 9 },
  loadable: ['libcuda.so.1', 'libcudart.so.13', 'libcublas.so.13', 'libcublasLt.so.13', 'libvulkan.so.1'],
  lookedUp: ['libnvidia-ml.so.1', 'libcuda.so.1', 'libcudart.so.13', 'libcublas.so.13', 'libcublasLt.so.13'],
} as const;
const card: DeviceMemory = {
  name: 'NVIDIA H200',
  totalBytes: 141 * gib,
  freeBytes: 141 * gib,
  driverBytes: 0,
  isUnified: false,
  source: 'nvidia-smi',
  confidence: 'high',
  note: null,
};

describe('the libraries for cards', () => {
  it('are those of the installed version', async () => {
    const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
      await readFile('package.json', 'utf8'),
    );
    expect(engineVersion).toBe(dependencies['node-llama-cpp']);
  });

  it('exist for x64 on Linux and Windows only', () => {
    const idsOf = (platform: NodeJS.Platform, arch: string): readonly string[] =>
      engineLibraryIds.filter((id) => engineVariant(id, { platform, arch }) !== null);
    expect(idsOf('linux', 'x64')).toEqual(engineLibraryIds);
    expect(idsOf('win32', 'x64')).toEqual(engineLibraryIds);
    expect([idsOf('linux', 'arm64'), idsOf('win32', 'arm64'), idsOf('darwin', 'x64')].flat()).toEqual([]);
    const older = engineVariant('engine/cuda-12', linux);
    expect(older?.packages.map(({ name }) => name)).toEqual([
      '@node-llama-cpp/linux-x64-cuda',
      '@node-llama-cpp/linux-x64-cuda-ext',
    ]);
    expect(older?.bytes).toBe(142_850_036 + 176_679_086);
  });

  // Bug: every installation would contain 640 MB of libraries for cards. The placeholder packages have a few kilobytes.
  it('are in no installation', async () => {
    const lock: { packages: Record<string, { name?: string; version: string }> } = JSON.parse(
      await readFile('package-lock.json', 'utf8'),
    );
    const places = Object.entries(lock.packages).filter(([path]) => /@node-llama-cpp\/.*(?:cuda|vulkan)/u.test(path));
    expect(places).toHaveLength(6);
    expect(new Set(places.map(([, { name }]) => name))).toEqual(new Set(['picocolors']));
  });
});

describe('a library for cards', () => {
  it('is fetched with progress, checked, and put alone into its folder', async () => {
    const own = variants();
    expect(await own.isHere(library)).toBe(false);
    const phases: [string, number][] = [];
    const done = await own.ensure(library, { signal, onProgress: (...seen) => phases.push(seen) });
    expect(done).toEqual({ ok: true, value: join(dir, 'engines', 'linux-x64-cuda') });
    expect(asked).toEqual(['/@node-llama-cpp/linux-x64-cuda/-/linux-x64-cuda-3.21.1.tgz all']);
    expect(phases.at(-1)).toEqual(['checking', archive.length]);
    expect(phases.filter(([phase]) => phase === 'downloading').at(-1)).toEqual(['downloading', archive.length]);
    expect(await readdir(join(dir, 'engines'))).toEqual(['linux-x64-cuda']);
    expect((await readdir(join(dir, 'engines', 'linux-x64-cuda'))).sort()).toEqual(['package.json', 'weights.bin']);
    expect(await own.isHere(library)).toBe(true);
  });

  it('is fetched once for two requests at the same time', async () => {
    const own = variants();
    await Promise.all([own.ensure(library, noProgress), own.ensure(library, noProgress)]);
    expect(asked).toHaveLength(1);
  });

  it('goes on after a cut connection', async () => {
    const { half, options } = halfAnswered(whole);
    expect(await variants().ensure(library, options)).toMatchObject({ ok: true });
    expect(asked.map((line) => line.split(' ')[1])).toEqual(['all', `bytes=${half}-`]);
  });

  it('keeps its part when the registry goes away, and goes on from there next time', async () => {
    const { half, options } = halfAnswered((request) => void request.socket.destroy());
    const failed = await variants().ensure(library, options);
    expect(failed).toMatchObject({ ok: false, error: { code: 'network', hint: /kept/u } });
    expect(await readdir(join(dir, 'engines'))).toEqual(['linux-x64-cuda.tgz.download']);
    answer = whole;
    expect(await variants().ensure(library, noProgress)).toMatchObject({ ok: true });
    expect(asked.at(-1)).toMatch(new RegExp(`bytes=${half}-$`, 'u'));
  });

  it('is refused and deleted when its checksum differs', async () => {
    archive = Buffer.from(archive).fill(0, 5_000, 6_000);
    const done = await variants().ensure(library, noProgress);
    expect(done).toMatchObject({ ok: false, error: { code: 'network', message: /checksum differs/u } });
    expect(await readdir(join(dir, 'engines'))).toEqual([]);
  });

  it('keeps its part when the disk is full, and says so', async () => {
    const full = new Error('ENOSPC: no space left on device');
    Object.assign(full, { code: 'ENOSPC' });
    const openFile = async (path: string) => {
      const file = await open(path, 'a+');
      const write = file.appendFile.bind(file);
      file.appendFile = async (data) => {
        await write(data);
        throw full;
      };
      return file;
    };
    const done = await variants({ download: createFetchUri({ fetch, env: {}, openFile }) }).ensure(library, noProgress);
    expect(done).toMatchObject({ ok: false, error: { code: 'disk-full' } });
    expect(await readdir(join(dir, 'engines'))).toEqual(['linux-x64-cuda.tgz.download']);
  });

  it('is not fetched when the disk has no room, and the error says how much it needs', async () => {
    const large = { ...library, packages: library.packages.map((one) => ({ ...one, diskBytes: 2 ** 60 })) };
    expect(await variants().ensure(large, noProgress)).toMatchObject({ ok: false, error: { code: 'disk-full' } });
    expect(asked).toEqual([]);
  });

  it('is fetched through a proxy', async () => {
    const connection = () => ({ proxy: registry, certificates: null });
    const through = createFetchUri({ fetch: createNetFetch(connection, {}), env: {} });
    const own = variants({ download: through, registry: async () => 'http://packages.invalid' });
    answer = (request, response) => {
      if (request.method !== 'CONNECT') return whole(request, response);
    };
    server.on('connect', (_request, socket) => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      server.emit('connection', socket);
    });
    expect(await own.ensure(library, noProgress)).toMatchObject({ ok: true });
    expect(asked).toHaveLength(1);
  });

  it('has different errors for a registry without it, no known registry, and no network', async () => {
    answer = (_request, response) => void response.writeHead(404).end();
    const missing = await variants().ensure(library, noProgress);
    expect(missing).toMatchObject({ ok: false, error: { code: 'network', message: /registry of packages has no/u } });
    const unknown = await variants({ registry: async () => null }).ensure(library, noProgress);
    expect(unknown).toMatchObject({ ok: false, error: { code: 'network', message: /not known from where/u } });
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    const away = await variants().ensure(library, noProgress);
    expect(away).toMatchObject({ ok: false, error: { code: 'network', message: /could not be downloaded/u } });
  });

  it('keeps its part when it is cancelled', async () => {
    const stop = new AbortController();
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': archive.length });
      response.write(archive.subarray(0, 1000));
    };
    const done = await variants().ensure(library, {
      signal: stop.signal,
      onProgress: (_phase, doneBytes) => doneBytes > 0 && stop.abort(),
    });
    expect(done).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    expect(await readdir(join(dir, 'engines'))).toEqual(['linux-x64-cuda.tgz.download']);
  });

  it('is deleted with the rest of a download when it is removed', async () => {
    const own = variants();
    await own.ensure(library, noProgress);
    await writeFile(join(dir, 'engines', 'linux-x64-cuda.tgz.download'), 'half');
    expect([await own.remove(library, signal), await own.remove(library, signal)]).toEqual([2000, 0]);
    expect(await readdir(join(dir, 'engines'))).toEqual([]);
  });
});

describe('a card without its library', () => {
  const host = { totalBytes: 2 ** 35, freeBytes: 2 ** 35, source: 'test' };
  const hardware = { host, devices: [card] };

  it('is not used before the library is fetched, and the reason says how', async () => {
    const own = variants();
    const before = await own.usable(hardware, signal);
    expect(before.devices).toEqual([]);
    expect(before.unused).toContain('dewpoint models pull engine/cuda (143 MB)');
    await own.ensure(library, noProgress);
    expect(await own.usable(hardware, signal)).toEqual(hardware);
  });

  it('is used only if the engine sees it', async () => {
    const own = variants();
    const byVulkan = { ...hardware, isSeen: true };
    expect(await own.usable(byVulkan, signal)).toEqual(byVulkan);
    await own.ensure(library, noProgress);
    const unseen = await own.usable({ ...hardware, isSeen: false }, signal);
    expect(unseen.devices).toEqual([]);
    expect(unseen.unused).toMatch(/does not see the card.*dewpoint models pull engine\/vulkan/u);
  });

  // Bug: a machine with only a driver downloaded 143 MB that the engine never loaded.
  it('gets Vulkan as advice if the runtime of CUDA is missing', async () => {
    const loadable = ['libcuda.so.1', 'libvulkan.so.1'];
    const own = variants({ readFacts: async () => ({ ...nvidia, loadable, lookedUp: ['libcuda.so.1'] }) });
    const { unused } = await own.usable(hardware, signal);
    expect(unused).toContain('dewpoint models pull engine/vulkan (27 MB)');
  });
});
