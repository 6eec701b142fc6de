import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ProviderSettings } from '@shared/settings/settings.ts';
import { providerSettingsSchema, settingsSchema } from '@shared/settings/settings.ts';
import { vectorsOff } from '@shared/documents/document-search.ts';
import { createServedVectors } from '../../../src/main/models/served-vectors.ts';
import { createTextVectors } from '../../../src/main/models/text-vectors.ts';

const never = new AbortController().signal;

/** What the server says to each path; a text is sent as it is. `null`: it never answers. */
let answers: Record<string, unknown>;
let asked: { readonly path: string; readonly body: { readonly model: string; readonly input: readonly string[] } }[];
let server: Server;
let address: string;

const vectorFor = (text: string, length = 4): number[] => Array.from({ length }, (_, at) => text.length + at);

beforeAll(async () => {
  server = createServer((request, response) => {
    void (async () => {
      let text = '';
      for await (const piece of request) text += String(piece);
      const path = request.url ?? '';
      const body = text === '' ? { model: '', input: [] } : JSON.parse(text);
      if (text !== '') asked.push({ path, body });
      const told = answers[path];
      const said = typeof told === 'function' ? told(body) : told;
      if (said === null) return;
      if (said instanceof Response) {
        response.writeHead(said.status, Object.fromEntries(said.headers));
        response.end(await said.text());
        return;
      }
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(typeof said === 'string' ? said : JSON.stringify(said));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  address = `http://127.0.0.1:${port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const embed = ({ model, input }: { readonly model: string; readonly input: readonly string[] }): object => ({
  model,
  embeddings: input.map((text) => vectorFor(text)),
});

beforeEach(() => {
  asked = [];
  answers = {
    '/api/tags': {
      models: [
        { name: 'all-minilm:latest', digest: 'one' },
        { name: 'far', remote_host: 'far.example.org' },
      ],
    },
    '/api/embed': embed,
    '/v1/models': { data: [{ id: 'bge', meta: { n_params: 3 } }] },
    '/v1/embeddings': ({ model, input }: { readonly model: string; readonly input: readonly string[] }) => ({
      model,
      data: input.map((text, index) => ({ index, embedding: vectorFor(text) })).toReversed(),
    }),
  };
});

const providers = (): Record<string, ProviderSettings> => ({
  ollama: providerSettingsSchema.parse({ kind: 'ollama', baseUrl: address }),
  house: providerSettingsSchema.parse({ kind: 'ollama', baseUrl: 'http://192.0.2.7:11434' }),
  mine: providerSettingsSchema.parse({ kind: 'openai-compatible', where: 'local', baseUrl: `${address}/v1` }),
  passes: providerSettingsSchema.parse({ kind: 'openai-compatible', where: 'cloud', baseUrl: `${address}/v1` }),
  paid: providerSettingsSchema.parse({ kind: 'openai' }),
});

const served = (limitMs = 20_000) =>
  createServedVectors({ fetch, providerSettings: (name) => providers()[name] ?? null, limitMs });

async function found(id: string, vectors = served()) {
  const chosen = await vectors.find(id, never);
  if ('why' in chosen) throw new Error(chosen.why);
  return { vectors, digest: chosen.model.digest };
}

const numbersIn = (row = ''): Float32Array => new Float32Array(Uint8Array.from(Buffer.from(row, 'base64')).buffer);

describe('the vectors of a server', () => {
  it.each(['ollama/all-minilm', 'mine/bge'])('of %s come in order, each of length 1', async (id) => {
    const { vectors, digest } = await found(id);
    const read = await vectors.read(['a', 'text'], digest, never);
    const rows = read?.ok === true ? read.rows.map(numbersIn) : [];
    expect(rows).toHaveLength(2);
    for (const row of rows) expect(Math.hypot(...row)).toBeCloseTo(1, 5);
    const first = vectorFor('a');
    expect(rows[0]?.[3]).toBeCloseTo((first[3] ?? 0) / Math.hypot(...first), 5);
  });

  it('have another digest once another model has the name, or gives other numbers', async () => {
    const { digest } = await found('ollama/all-minilm');
    expect((await found('ollama/all-minilm')).digest).toBe(digest);
    answers['/api/tags'] = { models: [{ name: 'all-minilm:latest', digest: 'two' }] };
    expect((await found('ollama/all-minilm')).digest).not.toBe(digest);
    const of = (await found('mine/bge')).digest;
    answers['/v1/models'] = { data: [{ id: 'bge', meta: { n_params: 4 } }] };
    expect((await found('mine/bge')).digest).not.toBe(of);
  });

  /** Catches: only llama-server says more than the name of a model in its list; LM Studio and vLLM do not. */
  it('are made where the list of models has only their names', async () => {
    answers['/v1/models'] = { data: [{ id: 'bge' }] };
    const { vectors, digest } = await found('mine/bge');
    expect(await vectors.read(['a'], digest, never)).toMatchObject({ ok: true, rows: [expect.any(String)] });
  });

  it.each([
    ['ollama/all-minilm', '/api/tags'],
    ['mine/bge', '/v1/models'],
  ])('of %s are refused in a sentence where its list is none', async (id, path) => {
    answers[path] = { data: [{ name: 3 }], models: 'none' };
    const chosen = await served().find(id, never);
    expect(chosen).toMatchObject({
      why: expect.stringMatching(/made no vectors: its answer is no list of models\.$/u),
    });
  });

  /** Catches: a document that is sent to another machine because somebody searched for something. */
  it.each(['house/all-minilm', 'passes/bge', 'ollama/far', 'paid/text-embedding-3-small', 'nobody/x'])(
    'are not asked of %s, and it gets no text',
    async (id) => {
      const chosen = await served().find(id, never);
      expect(chosen).toMatchObject({
        why: expect.stringMatching(/not on this machine|not sent there|makes no vectors/u),
      });
      expect(asked).toEqual([]);
    },
  );

  const huge = 1e308;
  it.each([
    [
      'other numbers than before',
      { model: 'all-minilm', embeddings: [vectorFor('x', 5)] },
      'vector of 5 numbers, and 4 before',
    ],
    ['no number', { model: 'all-minilm', embeddings: [[1, null, 3, 4]] }, 'holds no vectors'],
    ['NaN', '{"model":"all-minilm","embeddings":[[NaN,1,2,3]]}', 'not JSON'],
    ['numbers beyond any size', { model: 'all-minilm', embeddings: [[huge, huge, huge, huge]] }, 'no direction'],
    ['nothing but zeros', { model: 'all-minilm', embeddings: [[0, 0, 0, 0]] }, 'no direction'],
    ['too few vectors', { model: 'all-minilm', embeddings: [] }, '0 vectors for 1 texts'],
    [
      'too many vectors',
      { model: 'all-minilm', embeddings: [vectorFor('x'), vectorFor('y')] },
      '2 vectors for 1 texts',
    ],
    ['the vectors of another model', { model: 'phi', embeddings: [vectorFor('x')] }, 'phi answered in its place'],
    ['an answer that is cut off', '{"model":"all-minilm","embeddings":[[1,2', 'cut off'],
    ['an error', Response.json({ error: 'out of memory' }, { status: 500 }), 'answered 500: out of memory'],
    ['a web page', new Response('<html>Sign in</html>', { headers: { 'content-type': 'text/html' } }), 'a web page'],
    [
      'a way elsewhere',
      new Response('', { status: 307, headers: { location: 'http://192.0.2.7/' } }),
      'Nothing was sent there',
    ],
  ])('are refused where it answers with %s', async (_, answer, why) => {
    const { vectors, digest } = await found('ollama/all-minilm');
    answers['/api/embed'] = answer;
    expect(await vectors.read(['x'], digest, never)).toEqual({ ok: false, why: expect.stringContaining(why) });
  });

  it('are given up where it hangs, and at once on an abort', async () => {
    const { digest, vectors } = await found('ollama/all-minilm', served(200));
    answers['/api/embed'] = null;
    const read = await vectors.read(['x'], digest, never);
    expect(read).toEqual({ ok: false, why: expect.stringContaining('did not answer in time') });
    const stop = new AbortController();
    const ended = vectors.read(['x'], digest, stop.signal);
    stop.abort();
    await expect(ended).rejects.toThrow(/abort/iu);
  });

  it('say that it does not run, or does not have the model', async () => {
    const gone = createServedVectors({
      fetch,
      providerSettings: () => providerSettingsSchema.parse({ kind: 'ollama', baseUrl: 'http://127.0.0.1:9' }),
    });
    expect(await gone.find('ollama/x', never)).toMatchObject({ why: expect.stringContaining('made no vectors') });
    expect(await served().find('ollama/x', never)).toMatchObject({ why: expect.stringContaining('ollama pull x') });
    expect(await served().find('mine/x', never)).toMatchObject({
      why: expect.stringContaining('it has no x, but bge'),
    });
  });

  it('are made of the beginning where a text is too long for the model', async () => {
    const { vectors, digest } = await found('mine/bge');
    const usual = answers['/v1/embeddings'] as (body: unknown) => unknown;
    answers['/v1/embeddings'] = (body: { readonly input: readonly string[] }) =>
      (body.input[0]?.length ?? 0) > 300
        ? Response.json(
            { error: { message: 'input is too large to process. increase the physical batch size' } },
            { status: 500 },
          )
        : usual(body);
    expect(await vectors.read(['x'.repeat(1_000)], digest, never)).toMatchObject({ ok: true });
    expect(asked.at(-1)?.body.input[0]).toHaveLength(250);
  });
});

describe('the model that makes vectors', () => {
  const opened = (chosen: string) =>
    createTextVectors({
      store: { list: async () => [] },
      digests: { of: async () => 'x' },
      freeHostBytes: async () => 8e9,
      engine: {
        loadedPath: () => null,
        dispose: async () => undefined,
        embed: () => Promise.reject(new Error('unused')),
      },
      chosen: () => chosen,
      served: served(),
    });

  it('is the chosen one of a server, with the words that it knows questions by', async () => {
    answers['/api/tags'] = { models: [{ name: 'nomic-embed-text:latest', digest: 'n' }] };
    const vectors = opened('ollama/nomic-embed-text');
    const chosen = await vectors.model(never);
    if ('why' in chosen) throw new Error(chosen.why);
    expect(await vectors.read(['a'], { model: chosen.model, use: 'question' }, never)).toMatchObject({ ok: true });
    expect(asked.at(-1)?.body).toMatchObject({ model: 'nomic-embed-text', input: ['search_query: a'] });
  });

  it('is none where it is switched off or not here, and the reason is said', async () => {
    expect(await opened('off').model(never)).toEqual({ why: vectorsOff });
    const gone = await opened('llama-cpp/gone').model(never);
    expect(gone).toMatchObject({ why: expect.stringContaining('llama-cpp/gone is no embedding model that is here') });
    // Nothing is asked of a server for that.
    const problemOf = (model: string) => opened('auto').problem(model);
    expect(await problemOf('llama-cpp/gone')).toContain('llama-cpp/gone is no embedding model that is here');
    expect(await problemOf('nobody/m')).toContain('nobody/m makes no vectors');
    expect(await Promise.all(['auto', 'off', 'ollama/all-minilm'].map(problemOf))).toEqual([null, null, null]);
    expect(settingsSchema.safeParse({ searchModel: 'ollama' }).success).toBe(false);
    expect(settingsSchema.parse({}).searchModel).toBe('auto');
  });
});
