import { describe, expect, it } from 'vitest';
import type { LoadOptions } from '../../../src/main/models/engine/worker/worker-protocol.ts';
import type { StoredModel } from '../../../src/main/models/files/stored-model.ts';
import { noVectorModel } from '../../../src/shared/documents/document-search.ts';
import { createTextVectors, type TextVectors, type VectorModel } from '../../../src/main/models/text-vectors.ts';

const never = new AbortController().signal;

const stored = (name: string, more: Partial<StoredModel> = {}): StoredModel => ({
  name,
  label: name,
  isInstalled: true,
  isStarter: false,
  path: `/models/${name}.gguf`,
  origin: 'folder',
  place: `/models/${name}.gguf`,
  files: [`/models/${name}.gguf`],
  hereBytes: 1_000,
  bytes: 1_000,
  contextTokens: 8_192,
  parametersB: null,
  strategies: [],
  efforts: [],
  license: null,
  sha256: null,
  use: 'vectors',
  ...more,
});

function opened(models: readonly StoredModel[], freeBytes = 8e9) {
  const loads: LoadOptions[] = [];
  const texts: (readonly string[])[] = [];
  const vectors = createTextVectors({
    store: { list: async () => models },
    digests: { of: async (paths) => `digest of ${paths.join(' ')}` },
    freeHostBytes: async () => freeBytes,
    engine: {
      loadedPath: () => null,
      dispose: async () => undefined,
      embed: async (load, request) => {
        loads.push(load);
        texts.push(request.texts);
        const error = { code: 'engine-lost', message: 'The engine ended.' } as const;
        return request.texts[0]?.includes('break') === true
          ? { ok: false, error }
          : { ok: true, rows: ['AAAA'], tokens: 1, loaded: null as never };
      },
    },
  });
  return { vectors, loads, texts };
}

async function modelOf({ model }: Pick<TextVectors, 'model'>): Promise<VectorModel> {
  const found = await model(never);
  if ('why' in found) throw new Error(found.why);
  return found.model;
}

describe('the vectors of texts', () => {
  it('come from the smallest embedding model that is here, and from no model that chats', async () => {
    const { vectors } = opened([
      stored('large', { bytes: 9_000 }),
      stored('small'),
      { ...stored('chat', { bytes: 1 }), use: 'scores' },
      stored('gone', { bytes: 1, isInstalled: false }),
    ]);
    expect(await vectors.model(never)).toEqual({ model: { label: 'small', digest: 'digest of /models/small.gguf' } });
    expect(await opened([]).vectors.model(never)).toEqual({ why: noVectorModel });
  });

  /** Catches: the digest of a first file, kept as that of the whole model for all who ask. */
  it('belong to all files of a model', async () => {
    const { vectors } = opened([stored('small', { files: ['/models/small.gguf', '/models/small-2.gguf'] })]);
    expect(await vectors.model(never)).toMatchObject({
      model: { digest: 'digest of /models/small.gguf /models/small-2.gguf' },
    });
  });

  /** Catches: an embedding model that takes the card from the model that answers. */
  it('are made on the processor, with the words that the model knows questions and texts by', async () => {
    const { vectors, loads, texts } = opened([stored('nomic-embed-text-v1.5')]);
    const model = await modelOf(vectors);
    expect(await vectors.read(['a'], { model, use: 'question' }, never)).toEqual({ ok: true, rows: ['AAAA'] });
    await vectors.read(['b'], { model, use: 'text' }, never);
    expect(texts).toEqual([['search_query: a'], ['search_document: b']]);
    expect(loads[0]).toMatchObject({ gpu: 'off', gpuLayers: 0, use: 'vectors', contextTokens: 512 });
  });

  // Catches: the words of an older model of a family, put before the questions of a newer one that was trained without.
  it.each([
    ['bge-m3', ''],
    ['bge-multilingual-gemma2', ''],
    ['bge-large', 'Represent this sentence for searching relevant passages: '],
    ['bge-small-en-v1.5', 'Represent this sentence for searching relevant passages: '],
    ['bge-base-zh-v1.5', '为这个句子生成表示以用于检索相关文章：'],
  ])('are asked of %s with the words that its card names', async (name, words) => {
    const { vectors, texts } = opened([stored(name)]);
    const model = await modelOf(vectors);
    await vectors.read(['a'], { model, use: 'question' }, never);
    await vectors.read(['b'], { model, use: 'text' }, never);
    expect(texts).toEqual([[`${words}a`], ['b']]);
  });

  it('are not made where memory is short, where the model is unknown, or where the engine fails, and it says why', async () => {
    const short = opened([stored('small')], 1_000);
    const model = await modelOf(short.vectors);
    const how = { model, use: 'text' } as const;
    expect(await short.vectors.read(['a'], how, never)).toMatchObject({ ok: false, why: /free memory for small/u });
    expect(short.loads).toEqual([]);
    const { vectors } = opened([stored('small')]);
    expect(await vectors.read(['a'], how, never)).toMatchObject({ ok: false });
    await vectors.model(never);
    expect(await vectors.read(['break'], how, never)).toEqual({ ok: false, why: 'The engine ended.' });
    await expect(vectors.read(['a'], how, AbortSignal.abort())).rejects.toThrow(/abort/iu);
  });
});
