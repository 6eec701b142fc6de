import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HubModels } from '../../../../src/main/models/files/hub-models.ts';
import { createHubModels } from '../../../../src/main/models/files/hub-models.ts';
import { createMemoryPlanner } from '../../../../src/main/models/memory/memory-planner.ts';
import { createFetchUri } from '../../../../src/main/models/files/download/fetch-uri.ts';
import { createHeaderReader } from '../../../../src/main/models/memory/gguf/gguf-header-reader.ts';
import { createHubClient, hubNameOf } from '../../../../src/main/models/files/download/hub-client.ts';
import { createImportedModels } from '../../../../src/main/models/files/name-list.ts';
import type { ModelStore } from '../../../../src/main/models/files/model-store.ts';
import { createModelStore } from '../../../../src/main/models/files/model-store.ts';
import { modelHub, tinyFiles, tinyModel } from '../../../fakes/model-hub.ts';
import type { ModelHub } from '../../../fakes/model-hub.ts';
import { projectorFile } from '../../../fakes/projector-file.ts';
import { splitGguf, splitNames } from '../../../fakes/split-gguf.ts';
import { adapterParts } from '../../../fakes/adapter-parts.ts';
import { testPrograms } from '../../../fakes/test-programs.ts';
import { entryOfFile } from '../../../../src/main/models/model-entries.ts';
import type { PullProgress } from '@shared/contract/models-contract.ts';

const gibi = 1024 ** 3;
const never = new AbortController().signal;
const catalog = { version: 1, date: '2026-11-22', models: [], known: [] } as const;

const largest = tinyModel('sixteen', 80_000, ['blk.0.attn_q.weight', 'blk.1.attn_q.weight']);
const parts = splitGguf(largest, 3);
const partNames = splitNames('Tiny-BF16', 3);
const files = {
  ...tinyFiles,
  ...Object.fromEntries(partNames.map((name, index) => [`BF16/${name}`, parts[index] ?? Buffer.alloc(0)])),
};

const eyes = projectorFile({ modelWidth: 64 });
/** Files of the repository with a projector whose checksum in the list is wrong. */
const damaged: string[] = [];

let dir: string;
let server: Server;
let hub: ModelHub;
let store: ModelStore;

beforeEach(async () => {
  damaged.length = 0;
  dir = await mkdtemp(join(tmpdir(), 'dewpoint-hub-'));
  hub = modelHub({
    'owner/Tiny-GGUF': { license: 'apache-2.0', parameters: 130e6, files },
    'owner/gated': { token: 'secret', files: { 'Gated-Q4_K_M.gguf': files['Tiny-Q4_K_M.gguf'] } },
    'owner/damaged': {
      files: { 'Damaged-Q4_K_M.gguf': files['Tiny-Q4_K_M.gguf'] },
      wrongSums: ['Damaged-Q4_K_M.gguf'],
    },
    'owner/Huge-GGUF': { parameters: 70e9, files: {} },
    // The smallest projector is another model's, and an importance matrix is none at all.
    'owner/Eye': {
      files: {
        'Eye-4B-Q4_K_M.gguf': tinyModel('eye', 30_000),
        'Eye-4B-Q8_0.gguf': tinyModel('eye', 60_000),
        'mmproj-F16.gguf': eyes,
        'mmproj-F32.gguf': projectorFile({ modelWidth: 64, layers: 3 }),
        'Eye-4B-mmproj-Q8_0.gguf': projectorFile({ modelWidth: 576, layers: 1, width: 32 }),
      },
      wrongSums: damaged,
    },
    'owner/none': { files: { 'model.safetensors': Buffer.from('x') } },
    'owner/no-gguf-inside': { files: { 'Fake-Q4_K_M.gguf': Buffer.from('<html>nothing</html>') } },
  });
  server = createServer(hub.answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(dir, { recursive: true, force: true });
});

function create(options: { readonly token?: string; readonly hostFreeBytes?: number } = {}): HubModels {
  const bound = server.address();
  const env = {
    HF_ENDPOINT: `http://127.0.0.1:${typeof bound === 'object' && bound !== null ? bound.port : 0}`,
    ...(options.token === undefined ? {} : { HF_TOKEN: options.token }),
  };
  const readHeader = createHeaderReader();
  store = createModelStore({
    cacheDir: dir,
    catalog: { ...catalog, models: [], known: [] },
    programs: testPrograms({}),
    readHeader,
    imported: createImportedModels(join(dir, 'imported.json')),
    ...adapterParts(dir),
    downloadUri: createFetchUri({ fetch, env }),
  });
  const freeBytes = options.hostFreeBytes ?? 16 * gibi;
  const plan = createMemoryPlanner({
    store,
    catalog: { ...catalog, models: [], known: [] },
    readHeader,
    measure: () => Promise.resolve(null),
    readHardware: () => Promise.resolve({ devices: [], host: { totalBytes: 16 * gibi, freeBytes, source: 'test' } }),
    serverHeader: () => Promise.resolve(null),
  });
  return createHubModels({ hub: createHubClient({ fetch, env }), store, plan });
}

async function pull(models: HubModels, id: string, signal = never): Promise<string> {
  const texts: string[] = [];
  await models.pull(id, ({ phase, text }) => void (phase === 'done' && texts.push(text)), signal);
  return texts.join();
}

const here = async (): Promise<readonly string[]> =>
  (await readdir(join(dir, 'models')).catch(() => [])).toSorted((left, right) => left.localeCompare(right));

describe('a search of a hub by words', () => {
  it('asks for repositories with models, the most used first, and guesses what fits by their parameters', async () => {
    const found = await create().search('gguf owner', never);
    expect(found.map(({ id, sizeBytes, fits }) => [id, sizeBytes, fits])).toEqual([
      ['hf:owner/Tiny-GGUF', 78_000_000, true],
      ['hf:owner/Huge-GGUF', 42_000_000_000, false],
      ['hf:owner/no-gguf-inside', null, null],
    ]);
    expect(hub.asked).toEqual([
      '/api/models?search=gguf+owner&filter=gguf&sort=downloads&direction=-1&limit=20&expand[]=downloads&expand[]=gated&expand[]=gguf',
    ]);
    expect(await create().search('gated', never)).toMatchObject([{ isGated: true, downloads: 1200 }]);
  });

  it('says so when nothing is found, and when what answers is no hub', async () => {
    expect(await create().search('nothing at all', never)).toEqual([]);
    hub.failNext('<html>');
    await expect(create().search('tiny', never)).rejects.toThrow('is not a model hub');
  });
});

describe('a model of a hub', () => {
  it('is listed with each quantisation, its size and fit, and the default one', async () => {
    const entry = await create().show('hf:owner/Tiny-GGUF', never);
    expect(entry).toMatchObject({
      label: 'Tiny-Q4_K_M.gguf',
      state: 'downloadable',
      license: 'apache-2.0',
      sizeBytes: files['Tiny-Q4_K_M.gguf'].length,
      note: null,
    });
    expect(entry?.choices?.map(({ id, model, fits, isTaken }) => [id, model, fits, isTaken])).toEqual([
      ['hf:owner/Tiny-GGUF:Q2_K', 'llama-cpp/Tiny-Q2_K', true, false],
      ['hf:owner/Tiny-GGUF:Q4_K_M', 'llama-cpp/Tiny-Q4_K_M', true, true],
      ['hf:owner/Tiny-GGUF:Q8_0', 'llama-cpp/Tiny-Q8_0', true, false],
      ['hf:owner/Tiny-GGUF:BF16', 'llama-cpp/Tiny-BF16', true, false],
    ]);
    expect(entry?.choices?.at(-1)?.sizeBytes).toBe(parts.reduce((sum, part) => sum + part.length, 0));
    expect(entry?.choices?.[0]?.fit).toContain('8192');
  });

  it('is fetched and checked by its quantisation, its file or what fits, and known by its file', async () => {
    const models = create();
    expect(await pull(models, 'hf:owner/Tiny-GGUF')).toBe('llama-cpp/Tiny-Q4_K_M');
    expect(await pull(models, 'hf:owner/Tiny-GGUF:q8_0')).toBe('llama-cpp/Tiny-Q8_0');
    expect(await pull(models, 'hf:owner/Tiny-GGUF/Tiny-Q2_K.gguf')).toBe('llama-cpp/Tiny-Q2_K');
    expect(await here()).toEqual(['Tiny-Q2_K.gguf', 'Tiny-Q4_K_M.gguf', 'Tiny-Q8_0.gguf']);
    expect(await readFile(join(dir, 'models', 'Tiny-Q8_0.gguf'))).toEqual(files['Tiny-Q8_0.gguf']);
    expect(await store.find('Tiny-Q4_K_M')).toMatchObject({ label: 'four', isInstalled: true, contextTokens: 8192 });
  });

  it('is fetched only by name when none of it fits', async () => {
    const models = create({ hostFreeBytes: 0 });
    await expect(pull(models, 'hf:owner/Tiny-GGUF')).rejects.toMatchObject({
      code: 'bad-input',
      hint: expect.stringContaining('hf:owner/Tiny-GGUF:Q2_K'),
    });
    expect(await pull(models, 'hf:owner/Tiny-GGUF:Q2_K')).toBe('llama-cpp/Tiny-Q2_K');
  });

  it('is explained when the quantisation, the repository or any model in it is missing', async () => {
    const models = create();
    await expect(pull(models, 'hf:owner/Tiny-GGUF:Q5_K_M')).rejects.toMatchObject({
      code: 'not-found',
      hint: 'It has: Q2_K, Q4_K_M, Q8_0, BF16.',
    });
    await expect(pull(models, 'hf:owner/gone')).rejects.toMatchObject({
      code: 'not-found',
      message: 'The hub has no owner/gone, or it is private.',
    });
    await expect(pull(models, 'hf:owner/none')).rejects.toMatchObject({ code: 'bad-input' });
    expect(await here()).toEqual([]);
  });

  it('that is gated is explained, and can be fetched with the token', async () => {
    const gated = { code: 'network', message: expect.stringContaining('is gated') };
    expect((await create().show('hf:owner/gated', never))?.note).toContain('HF_TOKEN');
    await expect(pull(create(), 'hf:owner/gated')).rejects.toMatchObject(gated);
    expect(await pull(create({ token: 'secret' }), 'hf:owner/gated')).toBe('llama-cpp/Gated-Q4_K_M');
  });

  it('is removed when its checksum differs or it is no model, with an error', async () => {
    await expect(pull(create(), 'hf:owner/damaged')).rejects.toMatchObject({
      code: 'network',
      message: expect.stringContaining('checksum'),
    });
    expect(await here()).toEqual([]);
    expect((await create().show('hf:owner/no-gguf-inside', never))?.choices?.[0]?.fit).toBeNull();
  });

  it('keeps its part when cancelled, and the part can be removed', async () => {
    const models = create();
    const partial = join(dir, 'models', 'Tiny-Q8_0.gguf.download');
    const abort = new AbortController();
    const first = models.pull(
      'hf:owner/Tiny-GGUF:Q8_0',
      ({ phase, doneBytes }) => {
        if (phase === 'downloading' && doneBytes > 0) abort.abort();
      },
      abort.signal,
    );
    await expect(first).rejects.toMatchObject({ code: 'cancelled' });
    await writeFile(partial, files['Tiny-Q8_0.gguf'].subarray(0, 1000));
    expect(await store.remove('Tiny-Q8_0', { release: () => Promise.resolve(), signal: never })).toMatchObject({
      done: 'deleted',
      bytes: 1000,
    });
    expect(await here()).toEqual([]);
    await writeFile(partial, files['Tiny-Q8_0.gguf'].subarray(0, 1000));
    hub.asked.length = 0;
    expect(await pull(models, 'hf:owner/Tiny-GGUF:Q8_0')).toBe('llama-cpp/Tiny-Q8_0');
    expect(hub.asked.at(-1)).toBe('/owner/Tiny-GGUF/resolve/main/Tiny-Q8_0.gguf bytes=1000-');
    expect(await readFile(join(dir, 'models', 'Tiny-Q8_0.gguf'))).toEqual(files['Tiny-Q8_0.gguf']);
  });

  it('is fetched once for two requests, and never over another file of its name', async () => {
    const models = create();
    const both = [pull(models, 'hf:owner/Tiny-GGUF:Q8_0'), pull(models, 'hf:owner/Tiny-GGUF:Q8_0')];
    expect(await Promise.all(both)).toEqual(['llama-cpp/Tiny-Q8_0', 'llama-cpp/Tiny-Q8_0']);
    const whole = hub.asked.filter((asked) => asked.endsWith('/Tiny-Q8_0.gguf'));
    expect(whole).toHaveLength(1);
    const own = Buffer.from(files['Tiny-Q2_K.gguf']);
    own.write('mine', own.length - 4);
    await writeFile(join(dir, 'models', 'Tiny-Q2_K.gguf'), own);
    await expect(pull(models, 'hf:owner/Tiny-GGUF:Q2_K')).rejects.toMatchObject({ code: 'conflict' });
    expect(await readFile(join(dir, 'models', 'Tiny-Q2_K.gguf'))).toEqual(own);
  });

  it('in several files is planned from all headers, fetched whole, and is one model', async () => {
    const models = create();
    const entry = await models.show('hf:owner/Tiny-GGUF:BF16', never);
    expect(entry?.note).toBe('in 3 files');
    expect(entry?.choices?.[0]?.fit).toContain('8192');
    const seen: PullProgress[] = [];
    await models.pull(`hf:owner/Tiny-GGUF/BF16/${partNames[1]}`, (progress) => void seen.push(progress), never);
    expect(await here()).toEqual(partNames);
    expect(seen.at(-1)).toMatchObject({ phase: 'done', text: 'llama-cpp/Tiny-BF16' });
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    const downloaded = seen.filter(({ phase }) => phase === 'downloading');
    expect(downloaded.at(-1)).toMatchObject({ doneBytes: bytes, totalBytes: bytes });
    expect((await store.list()).map(({ name }) => name)).toEqual(['Tiny-BF16']);
    expect(await store.find('llama-cpp/Tiny-BF16-00002-of-00003')).toMatchObject({
      name: 'Tiny-BF16',
      label: 'sixteen',
      isInstalled: true,
      path: join(dir, 'models', partNames[0] ?? ''),
      bytes,
    });
    hub.asked.length = 0;
    expect(await pull(models, 'hf:owner/Tiny-GGUF:BF16')).toBe('llama-cpp/Tiny-BF16');
    expect(hub.asked.filter((asked) => !asked.includes('bytes='))).toHaveLength(1);
    await rm(join(dir, 'models', partNames[2] ?? ''));
    expect(await store.find('Tiny-BF16')).toMatchObject({ isInstalled: false });
    const removal = await store.remove('Tiny-BF16', { release: () => Promise.resolve(), signal: never });
    expect(removal).toMatchObject({ done: 'deleted', bytes: (parts[0]?.length ?? 0) + (parts[1]?.length ?? 0) });
    expect(await here()).toEqual([]);
  });

  it('in several files goes on after a cancel, checks each file, and can be removed half-way', async () => {
    const models = create();
    const abort = new AbortController();
    const first = models.pull(
      'hf:owner/Tiny-GGUF:BF16',
      ({ doneBytes }) => {
        if (doneBytes > (parts[1]?.length ?? 0)) abort.abort();
      },
      abort.signal,
    );
    await expect(first).rejects.toMatchObject({ code: 'cancelled' });
    // The first part is written last, so that an incomplete download is not taken for a model.
    expect(await here()).toContain(partNames[1]);
    expect(await here()).not.toContain(partNames[0]);
    expect(await store.list()).toEqual([]);
    hub.asked.length = 0;
    expect(await pull(models, 'hf:owner/Tiny-GGUF:BF16')).toBe('llama-cpp/Tiny-BF16');
    const fetched = hub.asked.filter((asked) => !/bytes=0-|blobs/u.test(asked));
    expect(fetched.some((asked) => asked.includes(partNames[1] ?? ''))).toBe(false);
    await store.remove('Tiny-BF16', { release: () => Promise.resolve(), signal: never });
    const others = Buffer.from(parts[1] ?? '');
    others.write('of another model', others.length - 32);
    await writeFile(join(dir, 'models', partNames[1] ?? ''), others);
    expect(await pull(models, 'hf:owner/Tiny-GGUF:BF16')).toBe('llama-cpp/Tiny-BF16');
    expect(await readFile(join(dir, 'models', partNames[1] ?? ''))).toEqual(parts[1]);
    await rm(join(dir, 'models', partNames[0] ?? ''));
    const removal = await store.remove('Tiny-BF16', { release: () => Promise.resolve(), signal: never });
    expect(removal.bytes).toBe((parts[1]?.length ?? 0) + (parts[2]?.length ?? 0));
    expect(await here()).toEqual([]);
  });

  it('has an error of its own when the hub cannot be reached', async () => {
    const models = create();
    server.closeAllConnections();
    server.close();
    await expect(pull(models, 'hf:owner/Tiny-GGUF')).rejects.toMatchObject({
      code: 'network',
      message: expect.stringContaining('could not be reached'),
    });
  });
});

/** Catches: a model with a projector that never sees, and one whose projector comes unasked, unchecked or stays behind. */
describe('a model of a hub that has a projector', () => {
  const model = 'Eye-4B-Q4_K_M';
  const projector = `mmproj-${model}.gguf`;
  const remove = async (): Promise<{ readonly bytes: number }> =>
    store.remove(model, { release: () => Promise.resolve(), signal: never });
  const sight = async () => (await store.find(model))?.sight;

  /** Stops when the model is here and the first bytes of its projector came. */
  async function stopWithin(models: HubModels): Promise<unknown> {
    const abort = new AbortController();
    const whole = tinyModel('eye', 30_000).length;
    return models
      .pull(
        'hf:owner/Eye',
        ({ phase, doneBytes }) => void (phase === 'downloading' && doneBytes > whole && abort.abort()),
        abort.signal,
      )
      .catch((error: unknown) => error);
  }

  it('is offered with the size of the smallest one that fits, and no projector is a model', async () => {
    const entry = await create().show('hf:owner/Eye', never);
    expect(entry?.choices?.map(({ model: id, projectorBytes }) => [id, projectorBytes])).toEqual([
      [`llama-cpp/${model}`, eyes.length],
      ['llama-cpp/Eye-4B-Q8_0', eyes.length],
    ]);
    expect((await create().show('hf:owner/Tiny-GGUF', never))?.choices?.[0]?.projectorBytes).toBeNull();
  });

  it('is fetched, found and removed with it', async () => {
    const seen: PullProgress[] = [];
    await create().pull('hf:owner/Eye', (progress) => void seen.push(progress), never);
    expect(await here()).toEqual([`${model}.gguf`, projector].toSorted((left, right) => left.localeCompare(right)));
    expect(await readFile(join(dir, 'models', projector))).toEqual(eyes);
    const bytes = tinyModel('eye', 30_000).length + eyes.length;
    expect(seen.at(-1)).toMatchObject({ phase: 'done', doneBytes: bytes, totalBytes: bytes });
    expect(await sight()).toMatchObject({ projector: { path: join(dir, 'models', projector) } });
    expect((await remove()).bytes).toBe(bytes);
    expect(await here()).toEqual([]);
  });

  it('answers without images after a stop in its projector, says so, and goes on', async () => {
    const models = create();
    expect(await stopWithin(models)).toMatchObject({
      code: 'cancelled',
      message: expect.stringContaining(`${model} is here and answers, but it sees no images yet`),
      hint: 'Download the model again to go on.',
    });
    const found = await store.find(model);
    expect(found?.isInstalled).toBe(true);
    expect(found === null ? null : entryOfFile(found).note).toContain('the download of its projector did not end');
    await writeFile(join(dir, 'models', `${projector}.download`), eyes.subarray(0, 1000));
    hub.asked.length = 0;
    expect(await pull(models, 'hf:owner/Eye')).toBe(`llama-cpp/${model}`);
    expect(hub.asked.at(-1)).toBe('/owner/Eye/resolve/main/mmproj-F16.gguf bytes=1000-');
    expect(await sight()).toMatchObject({ projector: {} });
  });

  it('is removed with a projector that came in part', async () => {
    await stopWithin(create());
    await remove();
    expect(await here()).toEqual([]);
  });

  it('stays when the projector is damaged, which is removed', async () => {
    damaged.push('mmproj-F16.gguf');
    await expect(pull(create(), 'hf:owner/Eye')).rejects.toMatchObject({
      code: 'network',
      message: expect.stringContaining(`${projector} was damaged and is removed`),
    });
    expect(await here()).toEqual([`${model}.gguf`]);
  });

  it('never takes the place of another file', async () => {
    const models = create();
    await pull(models, 'hf:owner/Eye');
    await writeFile(join(dir, 'models', projector), 'mine');
    await expect(pull(models, 'hf:owner/Eye')).rejects.toMatchObject({ code: 'conflict' });
    expect(await readFile(join(dir, 'models', projector), 'utf8')).toBe('mine');
  });
});

describe('the name of a repository', () => {
  it('is none when a part of it is dots alone', () => {
    const names = ['hf:../..', 'hf:a/..', 'hf:./b', 'hf:a/..:Q4', 'hf:a/../x.gguf'];
    expect(names.map(hubNameOf)).toEqual(names.map(() => null));
    expect(hubNameOf('hf:a.b/c..d:Q4_K_M')?.repository).toBe('a.b/c..d');
  });
});
