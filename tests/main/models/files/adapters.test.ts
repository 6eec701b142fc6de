import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createImportedModels } from '../../../../src/main/models/files/name-list.ts';
import { createModelStore } from '../../../../src/main/models/files/model-store.ts';
import type { ModelStore } from '../../../../src/main/models/files/model-store.ts';
import { createHeaderReader, readAdapted } from '../../../../src/main/models/memory/gguf/gguf-header-reader.ts';
import { adapterParts } from '../../../fakes/adapter-parts.ts';
import { ggufFile } from '../../../fakes/gguf-file.ts';
import { loraFile } from '../../../fakes/lora-file.ts';
import type { LoraParts } from '../../../fakes/lora-file.ts';
import { testPrograms } from '../../../fakes/test-programs.ts';

const never = new AbortController().signal;
const weights = [
  { name: 'blk.0.attn_q.weight', shape: [8, 16] },
  { name: 'blk.1.ffn_down.weight', shape: [16, 8] },
];
let dir: string;
let store: ModelStore;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dewpoint-adapters-'));
  await mkdir(join(dir, 'models'));
  await writeFile(
    join(dir, 'models', 'base.gguf'),
    ggufFile({
      tensors: weights.map(({ name, shape: [from = 0, to = 0] }) => ({ name, values: from * to, rows: to })),
    }),
  );
  store = createModelStore({
    cacheDir: dir,
    catalog: { version: 1, date: '2026-11-26', models: [], known: [] },
    programs: testPrograms({}),
    readHeader: createHeaderReader(),
    imported: createImportedModels(join(dir, 'imported.json')),
    ...adapterParts(dir),
    downloadUri: null,
  });
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function saved(parts: Partial<LoraParts> = {}, name = 'My Style.gguf'): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, loraFile({ weights, ...parts }));
  return path;
}
const add = async (parts: Partial<LoraParts> = {}): Promise<string> =>
  store.addAdapter('base', { path: await saved(parts), name: null }, never).catch((error: unknown) => String(error));

describe('an adapter', () => {
  it('makes a model of its own, which can be removed without its file or its base', async () => {
    expect(await add({ keys: [['general.base_model.0.name', 'Base 1']] })).toBe('base+my-style');
    const made = await store.find('llama-cpp/base+my-style');
    expect(made).toMatchObject({
      isInstalled: true,
      path: join(dir, 'models', 'base.gguf'),
      place: join(dir, 'My Style.gguf'),
      adapter: { name: 'my-style', baseName: 'base', madeFor: 'Base 1', bytes: 4 * (8 + 16 + 16 + 8) * 4 },
    });
    expect(made?.sha256).not.toBe((await store.find('base'))?.sha256);
    expect((await store.list()).map(({ name }) => name)).toEqual(['base', 'base+my-style']);
    const options = { release: async () => undefined, signal: never };
    expect(await store.remove('base+my-style', options)).toMatchObject({ done: 'forgotten' });
    expect((await store.list()).map(({ name }) => name)).toEqual(['base']);
    await expect(store.remove('base+my-style', options)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('is refused with the reason when it does not fit', async () => {
    expect(await add({ architecture: 'qwen2' })).toContain('for models of the kind qwen2, not llama');
    expect(await add({ factor: 2 })).toContain('made for another size of blk.0.attn_q.weight');
    expect(await add({ weights: [{ name: 'blk.9.attn_q.weight', shape: [8, 16] }] })).toContain(
      'has no weight blk.9.attn_q.weight',
    );
    expect(await add({ weights: [] })).toContain('has no weights');
    const model = await store
      .addAdapter('base', { path: join(dir, 'models', 'base.gguf'), name: null }, never)
      .catch(String);
    expect(model).toContain('not a LoRA adapter');
    expect(await store.addAdapter('none', { path: await saved(), name: null }, never).catch(String)).toContain('none');
    expect((await store.list()).map(({ name }) => name)).toEqual(['base']);
  });

  it('cannot take the name of another one or have an adapter as its base', async () => {
    await add();
    const path = await saved({}, 'other.gguf');
    const asOther = { path, name: 'my-style' };
    await expect(store.addAdapter('base', asOther, never)).rejects.toMatchObject({ code: 'conflict' });
    await expect(store.addAdapter('base+my-style', asOther, never)).rejects.toMatchObject({ code: 'not-found' });
    await expect(store.addAdapter('base', { path, name: 'a+b' }, never)).rejects.toMatchObject({ code: 'bad-input' });
  });

  it('is refused for another file of its base, and its memory is counted where its weights lie', async () => {
    await add();
    const made = await store.find('base+my-style');
    expect(await made?.adapter?.refusal(never)).toBeNull();
    const both = await readAdapted(createHeaderReader(), made?.path ?? '', made?.adapter?.path);
    expect(both.ok && both.value.facts.weights).toMatchObject({
      totalBytes: 2 * 8 * 16 * 4 + 768,
      adapterBytes: 768,
      layers: [{ bytes: 512 + 384 }, { bytes: 512 + 384 }],
    });
    await appendFile(join(dir, 'models', 'base.gguf'), 'more');
    expect(await (await store.find('base+my-style'))?.adapter?.refusal(never)).toContain('another file of base');
    await rm(join(dir, 'models', 'base.gguf'));
    expect(await store.find('base+my-style')).toMatchObject({ isInstalled: false, path: null });
  });
});
