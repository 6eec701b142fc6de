import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeviceMemory } from '@shared/models/memory-estimate.ts';
import {
  createEngineVariants,
  engineVariant,
  engineVersion,
  wantedVariant,
} from '../../../../src/main/models/engine/engine-variants.ts';
import type { EngineVariant, EngineVariants } from '../../../../src/main/models/engine/engine-variants.ts';
import { testPrograms } from '../../../fakes/test-programs.ts';

const linux = { platform: 'linux', arch: 'x64' } as const;
const signal = new AbortController().signal;
let dir: string;
let library: EngineVariant;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dewpoint-variants-'));
  const content = join(dir, 'content', 'package');
  await mkdir(content, { recursive: true });
  await writeFile(join(content, 'package.json'), '{"name": "library"}');
  const archive = join(dir, 'library.tgz');
  execFileSync('tar', ['-czf', archive, '-C', join(dir, 'content'), 'package']);
  const sha512 = createHash('sha512')
    .update(await readFile(archive))
    .digest('base64');
  const known = engineVariant('engine/cuda', linux);
  if (known === null) throw new Error('no such library');
  library = { ...known, bytes: 1000, diskBytes: 2000, sha512 };
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** An npm of a few lines of shell; it notes what it was asked. */
function variants(npm: string): EngineVariants {
  const script = `echo "$@" >> ${dir}/asked; for to; do :; done; ${npm}`;
  return createEngineVariants({
    ...linux,
    dir: join(dir, 'engines'),
    programs: testPrograms(),
    npm: async () => ['sh', '-c', script, 'npm'],
  });
}

const copies = (): EngineVariants => variants(`cp ${dir}/library.tgz "$to/library.tgz"`);
const noProgress = { signal, onProgress: () => undefined };

const card = (name: string, source: DeviceMemory['source'], confidence: DeviceMemory['confidence']): DeviceMemory => ({
  name,
  totalBytes: 2 ** 34,
  freeBytes: 2 ** 34,
  driverBytes: 0,
  isUnified: source === 'metal',
  source,
  confidence,
  note: null,
});

describe('the library that a card needs', () => {
  it('is asked for by the hardware alone, and never for a Mac, integrated graphics or no card', () => {
    const wanted = (...devices: readonly DeviceMemory[]): string | null => wantedVariant(devices, linux)?.id ?? null;
    expect([
      wanted(),
      wanted(card('NVIDIA H200', 'nvidia-smi', 'high')),
      wanted(card('RTX 4090', 'settings', 'medium')),
      wanted(card('Radeon RX 7900', 'rocm-smi', 'high')),
      wanted(card('AMD graphics', 'amdgpu-sysfs', 'low')),
      wanted(card('Apple graphics', 'metal', 'medium')),
    ]).toEqual([null, 'engine/cuda', 'engine/cuda', 'engine/vulkan', null, null]);
    expect(wantedVariant([card('NVIDIA Orin', 'nvidia-smi', 'high')], { platform: 'linux', arch: 'arm64' })).toBeNull();
  });

  it('is that of the version that is installed', async () => {
    const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
      await readFile('package.json', 'utf8'),
    );
    expect(engineVersion).toBe(dependencies['node-llama-cpp']);
  });

  // 640 MB of libraries for cards would come with every installation; what stands in their place has a few kilobytes.
  it('is in no installation: the lock file has other packages in the place of all of them', async () => {
    const lock: { packages: Record<string, { name?: string; version: string }> } = JSON.parse(
      await readFile('package-lock.json', 'utf8'),
    );
    const places = Object.entries(lock.packages).filter(([path]) => /@node-llama-cpp\/.*(?:cuda|vulkan)/u.test(path));
    expect(places).toHaveLength(6);
    expect(new Set(places.map(([, { name }]) => name))).toEqual(new Set(['picocolors']));
  });
});

describe('a library for cards', () => {
  it('is fetched by npm, checked, and lies alone in its folder', async () => {
    const own = copies();
    expect(await own.isHere(library)).toBe(false);
    const phases: string[] = [];
    const done = await own.ensure(library, { signal, onProgress: (phase) => phases.push(phase) });
    expect(done).toEqual({ ok: true, value: join(dir, 'engines', 'linux-x64-cuda') });
    expect(phases).toEqual(['downloading', 'checking']);
    expect(await readdir(join(dir, 'engines'))).toEqual(['linux-x64-cuda']);
    expect(await readFile(join(dir, 'asked'), 'utf8')).toMatch(
      /^pack @node-llama-cpp\/linux-x64-cuda@3\.21\.1 --ignore-scripts --prefix \S+ --pack-destination /u,
    );
    expect(await own.isHere(library)).toBe(true);
  });

  it('is fetched once when two ask at the same time', async () => {
    const own = copies();
    await Promise.all([own.ensure(library, noProgress), own.ensure(library, noProgress)]);
    expect((await readFile(join(dir, 'asked'), 'utf8')).trim().split('\n')).toHaveLength(1);
  });

  it('is refused with another checksum, and nothing of it stays', async () => {
    const done = await copies().ensure({ ...library, sha512: 'other' }, noProgress);
    expect(done).toMatchObject({ ok: false, error: { code: 'network', message: /checksum differs/u } });
    expect(await readdir(join(dir, 'engines'))).toEqual([]);
  });

  it('says why it could not be downloaded, and leaves nothing', async () => {
    const done = await variants('echo "npm error 404 no such package" >&2; exit 1').ensure(library, noProgress);
    expect(done).toMatchObject({ ok: false, error: { code: 'network', message: /404 no such package/u } });
    const full = await variants('echo "npm error ENOSPC" >&2; exit 1').ensure(library, noProgress);
    expect(full).toMatchObject({ ok: false, error: { code: 'disk-full' } });
    expect(await readdir(join(dir, 'engines'))).toEqual([]);
  });

  it('leaves nothing when it is cancelled', async () => {
    const stop = new AbortController();
    const done = await variants(`touch "$to/half.tgz"; exec sleep 60`).ensure(library, {
      signal: stop.signal,
      onProgress: (phase) => phase === 'downloading' && setTimeout(() => stop.abort(), 0),
    });
    expect(done).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    expect(await readdir(join(dir, 'engines'))).toEqual([]);
  });

  it('is deleted when it is removed', async () => {
    const own = copies();
    await own.ensure(library, noProgress);
    expect([await own.remove(library, signal), await own.remove(library, signal)]).toEqual([2000, 0]);
    expect(await readdir(join(dir, 'engines'))).toEqual([]);
  });
});

describe('a card without its library', () => {
  it('is not planned for, and the reason names what to do; once it is here the card is used', async () => {
    const own = copies();
    const host = { totalBytes: 2 ** 35, freeBytes: 2 ** 35, source: 'test' };
    const hardware = { host, devices: [card('NVIDIA H200', 'nvidia-smi', 'high')] };
    const before = await own.usable(hardware);
    expect(before.devices).toEqual([]);
    expect(before.unused).toContain('dewpoint models pull engine/cuda (143 MB)');
    await own.ensure(library, noProgress);
    expect(await own.usable(hardware)).toEqual(hardware);
  });

  it('is not planned for where the engine does not see the card through it, and used where it sees one through another', async () => {
    const own = copies();
    const host = { totalBytes: 2 ** 35, freeBytes: 2 ** 35, source: 'test' };
    const hardware = { host, devices: [card('NVIDIA H200', 'nvidia-smi', 'high')] };
    const byVulkan = { ...hardware, isSeen: true };
    expect(await own.usable(byVulkan)).toEqual(byVulkan);
    await own.ensure(library, noProgress);
    const unseen = await own.usable({ ...hardware, isSeen: false });
    expect(unseen.devices).toEqual([]);
    expect(unseen.unused).toMatch(/does not see the card.*CUDA runtime.*dewpoint models pull engine\/vulkan/u);
  });
});
