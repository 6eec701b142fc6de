import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createImportedModels } from '../../../../src/main/models/files/name-list.ts';
import { createModelStore } from '../../../../src/main/models/files/model-store.ts';
import type { ModelStore } from '../../../../src/main/models/files/model-store.ts';
import { createHeaderReader } from '../../../../src/main/models/memory/gguf/gguf-header-reader.ts';
import { adapterParts } from '../../../fakes/adapter-parts.ts';
import { ggufFile } from '../../../fakes/gguf-file.ts';
import { projectorFile } from '../../../fakes/projector-file.ts';
import { testPrograms } from '../../../fakes/test-programs.ts';

/** Catches: a model that looks through the projector of another one, and a projector that is offered as a model. */
let dir: string;
let models: string;
let store: ModelStore;
const never = new AbortController().signal;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dewpoint-projectors-'));
  models = join(dir, 'cache', 'models');
  await mkdir(models, { recursive: true });
  store = createModelStore({
    cacheDir: join(dir, 'cache'),
    catalog: { version: 1, date: '2026-11-30', models: [], known: [] },
    programs: testPrograms({}),
    readHeader: createHeaderReader(),
    imported: createImportedModels(join(dir, 'imported.json')),
    ...adapterParts(dir),
    downloadUri: null,
  });
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const model = (width = 576): Buffer =>
  ggufFile({
    keys: [
      ['general.architecture', 'llama'],
      ['llama.embedding_length', width],
    ],
    tensors: [{ name: 'output.weight', values: 32 }],
  });
const put = async (name: string, bytes: Buffer): Promise<string> => {
  const path = join(models, name);
  await writeFile(path, bytes);
  return path;
};
/** The name of the projector, the reason against it, or null. */
async function sight(name: string): Promise<string | null> {
  const found = (await store.find(name))?.sight;
  if (found === undefined) return null;
  return 'projector' in found ? basename(found.projector.path) : found.refusal;
}

describe('the projector of a model', () => {
  it('is the one of its name, whatever the precision, and half floats come first', async () => {
    await put('Eye-4B-it-Q4_K_M.gguf', model());
    await put('mmproj-Eye-4B-it-BF16.gguf', projectorFile());
    await put('mmproj-Eye-4B-it-F16.gguf', projectorFile());
    expect(await sight('Eye-4B-it-Q4_K_M')).toBe('mmproj-Eye-4B-it-F16.gguf');
  });

  it('may have no name of its own beside one model, but not beside two', async () => {
    await put('eye.gguf', model());
    await put('mmproj-F16.gguf', projectorFile());
    expect(await sight('eye')).toBe('mmproj-F16.gguf');
    await put('other.gguf', model());
    expect([await sight('eye'), await sight('other')]).toEqual([null, null]);
  });

  it('is not one that was made for another width, and the reason is a sentence', async () => {
    await put('eye.gguf', model(2048));
    await put('mmproj-eye.gguf', projectorFile({ modelWidth: 576 }));
    expect(await sight('eye')).toBe(
      'The projector mmproj-eye.gguf belongs to another model: it makes 576 values for each token, and the model takes 2048.',
    );
  });

  it('is not a damaged one', async () => {
    await put('eye.gguf', model());
    await put('mmproj-eye.gguf', projectorFile().subarray(0, 3000));
    expect(await sight('eye')).toContain('The projector mmproj-eye.gguf cannot be used:');
  });

  it('is the one that was chosen, and goes with the model', async () => {
    await put('eye.gguf', model());
    const path = join(dir, 'elsewhere.gguf');
    await writeFile(path, projectorFile());
    expect(await store.addAdapter('llama-cpp/eye', { path, name: null }, never)).toBe('eye');
    expect(await sight('eye')).toBe('elsewhere.gguf');
    await store.remove('eye', { release: async () => undefined, signal: never });
    await put('eye.gguf', model());
    expect(await sight('eye')).toBeNull();
  });

  it('cannot be chosen if it belongs to another model', async () => {
    await put('eye.gguf', model(2048));
    const path = join(dir, 'elsewhere.gguf');
    await writeFile(path, projectorFile());
    await expect(store.addAdapter('eye', { path, name: null }, never)).rejects.toThrow('belongs to another model');
  });

  it('is no model of its own', async () => {
    await put('eye.gguf', model());
    await put('eye-mmproj.gguf', projectorFile());
    expect((await store.list()).map(({ name }) => name)).toEqual(['eye']);
  });
});
