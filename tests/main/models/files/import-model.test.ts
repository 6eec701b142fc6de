import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHeaderReader } from '../../../../src/main/models/memory/gguf/gguf-header-reader.ts';
import { createImportedModels } from '../../../../src/main/models/files/name-list.ts';
import { createModelStore } from '../../../../src/main/models/files/model-store.ts';
import type { ModelStore } from '../../../../src/main/models/files/model-store.ts';
import { ggufFile } from '../../../fakes/gguf-file.ts';
import { splitGguf, splitNames } from '../../../fakes/split-gguf.ts';
import { adapterParts } from '../../../fakes/adapter-parts.ts';
import { testPrograms } from '../../../fakes/test-programs.ts';

let dir: string;
let store: ModelStore;
let released: string[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dewpoint-import-'));
  released = [];
  store = open();
  await mkdir(join(dir, 'cache', 'models'), { recursive: true });
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const open = (): ModelStore =>
  createModelStore({
    cacheDir: join(dir, 'cache'),
    catalog: { version: 1, date: '2026-11-21', models: [known], known: [] },
    programs: testPrograms({}),
    readHeader: createHeaderReader(),
    imported: createImportedModels(join(dir, 'imported.json')),
    ...adapterParts(dir),
    downloadUri: null,
  });

const known = {
  name: 'tiny',
  label: 'Tiny',
  bytes: 10,
  sha256: '0'.repeat(64),
  license: 'Apache-2.0',
  source: 'us',
  contextTokens: 100,
  parametersB: 0.1,
  strategies: ['recipe'],
  starter: true,
  from: [],
} as const satisfies Parameters<typeof createModelStore>[0]['catalog']['models'][number];

const llama = (...more: (readonly [string, string | number])[]): Buffer =>
  ggufFile({
    keys: [['general.architecture', 'llama'], ['general.name', 'Mine'], ['general.license', 'mit'], ...more],
    tensors: [{ name: 'a', values: 8 }],
  });

async function saved(name: string, bytes: Buffer | string = llama()): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, bytes);
  return path;
}

const remove = (name: string): ReturnType<ModelStore['remove']> =>
  store.remove(name, {
    release: async (path) => void released.push(path),
    signal: new AbortController().signal,
  });

describe('an imported model', () => {
  it('points to a file that stays unchanged in its place, also after a restart', async () => {
    const path = await saved('My Model (Q4).gguf');
    expect(await store.add({ path, name: null })).toBe('my-model-q4');
    store = open();
    expect(await store.find('llama-cpp/my-model-q4')).toMatchObject({
      path,
      isInstalled: true,
      origin: 'imported',
      label: 'Mine',
      license: 'mit',
    });
    expect((await store.list()).map(({ name }) => name)).toEqual(['tiny', 'my-model-q4']);
    expect(await readdir(join(dir, 'cache', 'models'))).toEqual([]);
    expect(await readFile(path)).toEqual(llama());
  });

  it('keeps its name when imported again, and may have a second one', async () => {
    const path = await saved('own.gguf');
    expect(await store.add({ path, name: null })).toBe('own');
    expect(await store.add({ path, name: null })).toBe('own');
    expect(await store.add({ path, name: 'other' })).toBe('other');
  });

  it('is removed without its file', async () => {
    const path = await saved('own.gguf');
    await store.add({ path, name: null });
    expect(await remove('llama-cpp/own')).toEqual({ done: 'forgotten', path, bytes: 0 });
    expect(released).toEqual([path]);
    expect(await store.find('own')).toBeNull();
    expect(await readFile(path)).toEqual(llama());
    await expect(remove('own')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('is listed as gone when its file is gone, and can be removed then', async () => {
    const path = await saved('own.gguf');
    await store.add({ path, name: null });
    await rm(path);
    expect(await store.find('own')).toMatchObject({ isInstalled: false, path: null, place: path });
    expect(await remove('own')).toMatchObject({ done: 'forgotten', path });
  });

  it.each([
    ['is none', 'text', 'bad-input'],
    ['is cut short', llama().subarray(0, 150), 'bad-input'],
    ['is a projector', ggufFile({ keys: [['general.architecture', 'clip']] }), 'bad-input'],
    ['is an adapter', llama(['general.type', 'adapter']), 'bad-input'],
    ['is one of several', llama(['split.count', 3]), 'bad-input'],
  ])('is refused when the file %s', async (_what, bytes, code) => {
    await expect(store.add({ path: await saved('x.gguf', bytes), name: null })).rejects.toMatchObject({ code });
    expect((await store.list()).map(({ name }) => name)).toEqual(['tiny']);
  });

  it('in several files is one model, and all files stay when it is removed', async () => {
    const names = splitNames('Mine-Q8_0', 2);
    for (const [index, part] of splitGguf(llama(), 2).entries()) await saved(names[index] ?? '', part);
    const [first = '', second = ''] = names.map((name) => join(dir, name));
    await expect(store.add({ path: second, name: null })).rejects.toMatchObject({
      code: 'bad-input',
      hint: `Name the first one: ${first}`,
    });
    expect(await store.add({ path: first, name: null })).toBe('mine-q8_0');
    expect(await store.find('mine-q8_0')).toMatchObject({ isInstalled: true, path: first, files: [first, second] });
    expect(await remove('mine-q8_0')).toMatchObject({ done: 'forgotten' });
    expect([existsSync(first), existsSync(second)]).toEqual([true, true]);
  });

  it('is refused when its file is missing or its path is not whole', async () => {
    await expect(store.add({ path: join(dir, 'none.gguf'), name: null })).rejects.toMatchObject({ code: 'not-found' });
    await expect(store.add({ path: 'own.gguf', name: null })).rejects.toMatchObject({ code: 'bad-input' });
  });

  it.each([
    ['that is taken by the catalog', 'tiny', 'conflict'],
    ['that is another file', 'first', 'conflict'],
    ['that leads elsewhere', '../x', 'bad-input'],
  ])('cannot have a name %s', async (_why, name, code) => {
    await store.add({ path: await saved('first.gguf'), name: null });
    await expect(store.add({ path: await saved('second.gguf'), name })).rejects.toMatchObject({ code });
  });

  it('is refused when the list of imports is damaged, which stays unchanged', async () => {
    await writeFile(join(dir, 'imported.json'), '{"version":1,');
    await expect(store.add({ path: await saved('own.gguf'), name: null })).rejects.toMatchObject({ code: 'bad-input' });
    expect(await readFile(join(dir, 'imported.json'), 'utf8')).toBe('{"version":1,');
    expect((await store.list()).map(({ name }) => name)).toEqual(['tiny']);
  });
});

describe("a model in Dewpoint's folder", () => {
  it('is deleted with the rest of its download', async () => {
    const folder = join(dir, 'cache', 'models');
    await writeFile(join(folder, 'tiny.gguf.partial'), '12345');
    expect(await store.find('tiny')).toMatchObject({ isInstalled: false, hereBytes: 5 });
    await writeFile(join(folder, 'tiny.gguf'), '0123456789');
    expect(await remove('tiny')).toEqual({ done: 'deleted', path: join(folder, 'tiny.gguf'), bytes: 15 });
    expect(await readdir(folder)).toEqual([]);
    expect(released).toEqual([join(folder, 'tiny.gguf')]);
    await expect(remove('tiny')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('is never a file named by its path', async () => {
    const path = await saved('own.gguf');
    await expect(remove(path)).rejects.toMatchObject({ code: 'bad-input' });
    expect(await readFile(path)).toEqual(llama());
  });
});
