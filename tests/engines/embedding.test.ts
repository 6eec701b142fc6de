import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { embedderContext, embedderWidth, writeRandomEmbedder } from '../generated/random-embedder.ts';
import { success } from '../../src/shared/errors.ts';
import type { ApiServer } from '../../src/main/hosts/api/api-server.ts';
import { startApiServer } from '../../src/main/hosts/api/api-server.ts';
import type { LlamaEngine } from '../../src/main/models/engine/llama-engine.ts';
import { readGguf } from '../../src/main/models/memory/gguf/read-gguf.ts';
import { createMemorySandbox } from '../fakes/sandbox/memory-sandbox.ts';
import type { ClientCore } from '../fakes/core-client.ts';
import { openClientCore } from '../fakes/core-client.ts';
import { createTestProvider, nodePath, startEngine } from './support.ts';

/**
 * Catches: vectors that differ from the engine's own, a list in the wrong order, and an embedding model that is used
 * for chat.
 */
let home: string;
let core: ClientCore;
let engine: LlamaEngine;
let server: ApiServer;
let client: OpenAI;
let key: string;
const models = { vectors: '', scores: '' };
const texts = ['hello world.', 'good day', 'is it a bird?', 'hello world.'];

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'dewpoint-embedding-'));
  for (const use of ['vectors', 'scores'] as const) {
    models[use] = join(home, `${use}.gguf`);
    await writeRandomEmbedder(models[use], use);
  }
  engine = await startEngine({ abortGraceMs: 30_000 });
  const real = await createTestProvider(engine, {
    contextTokens: 2_048,
    cacheDir: home,
    store: {
      find: async (path) => {
        const header = await readGguf(path);
        if (!header.ok) return null;
        const { name, contextTokens, use } = header.value;
        const unknown = { bytes: null, parametersB: null, license: null, sha256: null } as const;
        return {
          ...unknown,
          name: path,
          label: name ?? path,
          isInstalled: true,
          isStarter: false,
          path,
          origin: 'path',
          place: path,
          files: [path],
          hereBytes: 0,
          contextTokens,
          strategies: [],
          efforts: [],
          ...(use === null ? {} : { use }),
        };
      },
    },
  });
  core = await openClientCore({
    home,
    cache: home,
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files: {} })),
    // Uses the engine of the test's own build. The program's provider only finds the files.
    wrapProvider: (found) => ({
      ...real,
      list: (signal) => found.list(signal),
      resolve: (name, signal) => found.resolve(name, signal),
    }),
  });
  key = (await core.client.endpoint.addClient({ name: 'search', mayLeave: false })).key;
  server = await startApiServer(core.client, { port: 0 });
  client = new OpenAI({ apiKey: key, baseURL: `${server.url}/v1`, maxRetries: 0 });
});
afterAll(async () => {
  await server.close();
  await core.dispose();
  await engine.dispose();
  await rm(home, { recursive: true, force: true });
});

/** The engine library's own results for the same file, from a separate process. */
async function plain(): Promise<{ readonly vectors: number[][]; readonly scores: number[] }> {
  const library = pathToFileURL(resolve('node_modules/node-llama-cpp/dist/index.js')).href;
  const script = `
    import { getLlama, LlamaLogLevel } from ${JSON.stringify(library)};
    const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.disabled });
    const size = { contextSize: ${embedderContext}, batchSize: ${embedderContext}, threads: 1 };
    const texts = ${JSON.stringify(texts)};
    const vectors = [];
    const embedder = await llama.loadModel({ modelPath: ${JSON.stringify(models.vectors)} });
    const context = await embedder.createEmbeddingContext(size);
    for (const text of texts) vectors.push((await context.getEmbeddingFor(text)).vector);
    const ranker = await llama.loadModel({ modelPath: ${JSON.stringify(models.scores)} });
    const scores = await (await ranker.createRankingContext(size)).rankAll('what is it?', texts);
    console.log(JSON.stringify({ vectors, scores }));
    process.exit();`;
  const file = join(home, 'plain.mjs');
  await writeFile(file, script);
  const { stdout } = await promisify(execFile)(nodePath, [file]);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

const length = (vector: readonly number[]): number => Math.hypot(...vector);
const model = (use: keyof typeof models): string => `llama-cpp/${models[use]}`;

const answerSchema = z.object({
  data: z.array(z.object({ embedding: z.union([z.string(), z.array(z.number())]) })).default([]),
  results: z
    .array(z.object({ index: z.number(), relevance_score: z.number(), document: z.object({ text: z.string() }) }))
    .default([]),
  error: z.object({ message: z.string() }).default({ message: '' }),
});

async function post(path: string, body: unknown, own = key) {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${own}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: answerSchema.parse(await response.json()) };
}

describe('an embedding model, by the openai package', () => {
  it('gives the vectors of the engine in the order of the texts, with length 1', async () => {
    const own = await plain();
    const whole = await client.embeddings.create({ model: model('vectors'), input: texts });
    expect(whole.data.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    for (const [index, { embedding }] of whole.data.entries()) {
      const expected = own.vectors[index] ?? [];
      expect(embedding).toHaveLength(embedderWidth);
      expect(length(embedding)).toBeCloseTo(1, 5);
      embedding.forEach((value, at) => expect(value).toBeCloseTo((expected[at] ?? 0) / length(expected), 5));
    }
    expect(whole.usage.prompt_tokens).toBeGreaterThan(texts.length);
    const { body } = await post('/v1/embeddings', {
      model: model('vectors'),
      input: texts[0],
      encoding_format: 'float',
    });
    expect(body.data[0]?.embedding).toEqual(whole.data[0]?.embedding);
    const base64 = await post('/v1/embeddings', {
      model: model('vectors'),
      input: texts[0],
      encoding_format: 'base64',
    });
    const bytes = Buffer.from(String(base64.body.data[0]?.embedding), 'base64');
    expect(bytes.readFloatLE(4)).toBeCloseTo(whole.data[0]?.embedding[1] ?? 0, 6);
  });

  it('ranks texts by the scores of the engine, the best first', async () => {
    const own = await plain();
    const { body } = await post('/v1/rerank', {
      model: model('scores'),
      query: 'what is it?',
      documents: texts.map((text, index) => (index === 1 ? { text } : text)),
      top_n: 3,
      return_documents: true,
    });
    const { results } = body;
    expect(results).toHaveLength(3);
    for (const { index, relevance_score: score, document } of results) {
      expect(score).toBeCloseTo(own.scores[index] ?? -1, 5);
      expect(document.text).toBe(texts[index]);
    }
    const scores = results.map(({ relevance_score: score }) => score);
    expect(scores).toEqual([...scores].sort((left, right) => right - left));
  });

  it('is written into the log of its client without the texts', async () => {
    const folder = join(home, 'endpoint');
    const [log = ''] = await Promise.all(
      (await readdir(folder)).map((id) => readFile(join(folder, id, 'events.jsonl'), 'utf8')),
    );
    expect(log).toMatch(/"type":"model-call-started".*"purpose":"embed"/u);
    expect(log).toMatch(/"type":"model-call-ended".*"costUsd":0,"error":null/u);
    expect(log).not.toContain('hello world');
    const { rows } = await core.client.costs({ by: 'session' });
    expect(rows.map(({ label, costUsd }) => [label, costUsd])).toEqual([['Endpoint: search', 0]]);
  });
});

describe('a client of an embedding model', () => {
  it.each([
    [
      'to cut its vectors',
      '/v1/embeddings',
      () => ({ model: model('vectors'), input: 'a', dimensions: 8 }),
      /400 .*32 numbers, and are not cut/u,
    ],
    ['tokens', '/v1/embeddings', () => ({ model: model('vectors'), input: [1, 2] }), /400 .*tokens are not taken/u],
    ['an empty text', '/v1/embeddings', () => ({ model: model('vectors'), input: ['a', ''] }), /400 .*input/u],
    [
      'a text that is too long',
      '/v1/embeddings',
      () => ({ model: model('vectors'), input: ['a', 'b '.repeat(400)] }),
      /400 .*Text 2 has 40\d tokens/u,
    ],
    [
      'vectors of a ranking model',
      '/v1/embeddings',
      () => ({ model: model('scores'), input: 'a' }),
      /400 .*is a reranking model/u,
    ],
    [
      'scores of an embedding model',
      '/v1/rerank',
      () => ({ model: model('vectors'), query: 'a', documents: ['b'] }),
      /400 .*is an embedding model/u,
    ],
    [
      'words',
      '/v1/chat/completions',
      () => ({ model: model('vectors'), messages: [{ role: 'user', content: 'Hello' }] }),
      /400 .*cannot answer: it is for \/v1\/embeddings/u,
    ],
    [
      'a model that is not here',
      '/v1/embeddings',
      () => ({ model: 'llama-cpp/none', input: 'a' }),
      /404 .*was not found/u,
    ],
  ])('cannot ask for %s', async (_name, path, body, expected) => {
    const { status, body: answer } = await post(path, body());
    expect(`${status} ${answer.error.message}`).toMatch(expected);
  });

  it('cannot ask for anything without a key', async () => {
    expect((await post('/v1/embeddings', { model: model('vectors'), input: 'a' }, 'wrong')).status).toBe(401);
  });
});
