import { appendFile, copyFile, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LlamaEngine } from '../../src/main/models/engine/llama-engine.ts';
import { createImportedModels } from '../../src/main/models/files/name-list.ts';
import { createModelStore } from '../../src/main/models/files/model-store.ts';
import type { ModelStore } from '../../src/main/models/files/model-store.ts';
import { createMachineProbe, readHardware } from '../../src/main/models/machine/hardware.ts';
import { createGrantContext } from '../../src/main/models/memory/grant-context.ts';
import { createHeaderReader } from '../../src/main/models/memory/gguf/gguf-header-reader.ts';
import { readTensors } from '../../src/main/models/memory/gguf/read-gguf.ts';
import { createLoadSteps } from '../../src/main/models/memory/load-steps.ts';
import type { Provider } from '../../src/main/models/providers/define.ts';
import { adapterParts } from '../fakes/adapter-parts.ts';
import { loraFile } from '../fakes/lora-file.ts';
import { testPrograms } from '../fakes/test-programs.ts';
import { collect, createTestProvider, modelPath, modelRequest, scratchDir, startEngine } from './support.ts';

const never = new AbortController().signal;
let dir: string;
let engine: LlamaEngine;
let store: ModelStore;
let provider: Provider;
let adapter: string;

beforeAll(async () => {
  dir = await scratchDir();
  await mkdir(join(dir, 'models'));
  const base = join(dir, 'models', 'small.gguf');
  await copyFile(modelPath('smollm2-135m-instruct'), base);
  const weights = (await readTensors(base)).tensors.filter(({ name }) => /attn_[qv]\.weight$|ffn_down/.test(name));
  adapter = join(dir, 'style.gguf');
  await writeFile(adapter, loraFile({ weights }));
  engine = await startEngine();
  const readHeader = createHeaderReader();
  store = createModelStore({
    cacheDir: dir,
    catalog: { version: 1, date: '2026-11-26', models: [], known: [] },
    programs: testPrograms(),
    readHeader,
    imported: createImportedModels(join(dir, 'imported.json')),
    ...adapterParts(dir),
    downloadUri: null,
  });
  const plans = createGrantContext({
    readHeader,
    readHardware: (signal) => readHardware([], signal, createMachineProbe(testPrograms())),
    enginePid: () => engine.pid(),
    loadedPath: () => engine.loadedPath(),
    loadedAdapter: () => engine.loadedAdapter(),
    steps: createLoadSteps(join(dir, 'steps.json')),
    now: Date.now,
  });
  provider = await createTestProvider(engine, { contextTokens: 1024, threads: 1, cacheDir: dir, plans, store });
});
afterAll(async () => {
  await engine.dispose();
  await rm(dir, { recursive: true, force: true });
});

const answer = async (model: string) =>
  collect(provider.stream(modelRequest(model, 'Say hello.', { maxOutputTokens: 6, cacheKey: model }), never));

it('an adapter changes what a model says while it is there, and is named in the step', async () => {
  const plain = await answer('small');
  expect(await store.addAdapter('small', { path: adapter, name: null }, never)).toBe('small+style');
  const changed = await answer('small+style');
  expect(changed.ended.error).toBeNull();
  expect(changed.text).not.toBe(plain.text);
  expect(changed.ended.engine?.adapter).toEqual({
    name: 'style',
    sha256: (await store.find('small+style'))?.adapter?.sha256,
  });
  expect(plain.ended.engine).not.toHaveProperty('adapter');
  // Both the engine's own figure and the plan must have grown by the adapter. The engine prints each buffer to 0.01 MiB.
  const [more, planned] = (['observedBytes', 'predictedBytes'] as const).map(
    (field) => (changed.ended.engine?.[field] ?? 0) - (plain.ended.engine?.[field] ?? 0),
  );
  const { bytes = 0 } = (await store.find('small+style'))?.adapter ?? {};
  expect(planned).toBe(bytes);
  expect(Math.abs((more ?? 0) - bytes)).toBeLessThan(0.02 * 1024 * 1024);
  expect((await answer('small')).text).toBe(plain.text);
  expect((await answer('small+style')).text).toBe(changed.text);
  await store.remove('small+style', { release: (path) => engine.release(path), signal: never });
  expect((await answer('small+style')).ended.error?.code).toBe('missing-model');
  expect((await answer('small')).text).toBe(plain.text);
});

it('an adapter is refused as soon as it or its model is another file', async () => {
  await store.addAdapter('small', { path: adapter, name: 'bound' }, never);
  const base = join(dir, 'models', 'small.gguf');
  const before = await stat(base);
  await appendFile(base, Buffer.alloc(32));
  const { ended } = await answer('small+bound');
  expect(ended.error).toMatchObject({ code: 'bad-model', message: expect.stringContaining('another file of small') });
  await copyFile(modelPath('smollm2-135m-instruct'), base);
  expect((await stat(base)).size).toBe(before.size);
  // The same bytes with another date are the same model.
  expect((await answer('small+bound')).ended.error).toBeNull();
  await appendFile(adapter, Buffer.alloc(32));
  expect((await answer('small+bound')).ended.error?.message).toContain('has changed since it was added');
});
