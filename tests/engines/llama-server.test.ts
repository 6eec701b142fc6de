import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { llamaServerSchema } from '@shared/settings/settings.ts';
import { createOwnLlamaServer } from '../../src/main/models/engine/llama-server/own-llama-server.ts';
import type { OwnLlamaServer } from '../../src/main/models/engine/llama-server/own-llama-server.ts';
import { createHeaderReader } from '../../src/main/models/memory/gguf/gguf-header-reader.ts';
import type { ModelRequest, Provider } from '../../src/main/models/providers/define.ts';
import { createLlamaServerProvider } from '../../src/main/models/providers/llama-server/create-llama-server-provider.ts';
import { providerDependencies } from '../fakes/provider-kit.ts';
import { testPrograms } from '../fakes/test-programs.ts';
import { collect, modelPath, modelRequest } from './support.ts';

const program = process.env.DEWPOINT_TEST_LLAMA_SERVER;
const small = 'smollm2-135m-instruct';
const tools = 'qwen2.5-coder-0.5b-instruct';
const starter = 'qwen2.5-coder-1.5b-instruct';
const never = new AbortController().signal;

function ownServer(): OwnLlamaServer {
  return createOwnLlamaServer({
    nodePath: process.execPath,
    guardPath: resolve('src/main/models/engine/server-guard.ts'),
    programs: testPrograms(),
    env: process.env,
    platform: process.platform,
  });
}

function open(own: OwnLlamaServer, settings: object = {}): Provider {
  return createLlamaServerProvider(
    providerDependencies({
      ownLlamaServer: own,
      readHeader: createHeaderReader(),
      freeHostBytes: () => Promise.resolve(16 * 2 ** 30),
      localModels: () => Promise.resolve([small, tools]),
      modelFile: async (name) =>
        existsSync(modelPath(name))
          ? { path: modelPath(name), contextTokens: null, parametersB: 0.5, label: name }
          : null,
    }),
    {
      id: 'llama-server',
      // One thread, because two would wait for each other on a busy machine.
      settings: llamaServerSchema.parse({
        kind: 'llama-server',
        program,
        contextTokens: 2048,
        threads: 1,
        ...settings,
      }),
    },
  );
}

const weather = {
  name: 'weather',
  description: 'The weather of a city.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

describe.runIf(program !== undefined)('a llama-server that Dewpoint starts', () => {
  let own: OwnLlamaServer;
  let provider: Provider;
  beforeAll(() => {
    own = ownServer();
    provider = open(own);
  });
  afterAll(() => own.dispose());
  const ask = (text: string, changes: Partial<ModelRequest> = {}) =>
    collect(provider.stream(modelRequest(small, text, changes), never));

  it('answers, reports what it took, and is described as planned', async () => {
    const { text, ended } = await ask('Write the numbers from 1 to 9.', { maxOutputTokens: 32 });
    expect(text).not.toBe('');
    expect(ended).toMatchObject({ error: null, stopReason: expect.stringMatching(/stop|length/) });
    expect(ended.timings.counted).toMatchObject({ readTokens: ended.usage.freshInput });
    const { engine } = ended;
    expect(engine).toMatchObject({ backend: 'cpu', grantedTokens: 2048, contextTokens: 2048 });
    const [planned, real] = [engine?.predictedBytes ?? 0, engine?.observedBytes ?? 0];
    // The server rounds each buffer and copies weights into the processor's layout.
    expect(Math.abs(real - planned) / planned).toBeLessThan(0.5);
  });

  it('keeps the beginning that two calls share', async () => {
    const long = 'The quick brown fox jumps over the lazy dog. '.repeat(20);
    await ask(`${long}Say yes.`, { maxOutputTokens: 2 });
    const { ended } = await ask(`${long}Say no.`, { maxOutputTokens: 2 });
    expect(ended.usage.cacheRead).toBeGreaterThan(150);
    expect(ended.usage.freshInput).toBeLessThan(30);
  });

  it('is held to a schema, a choice and a call', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const json = await ask('A number.', { output: { type: 'json-schema', schema } });
    expect(JSON.parse(json.text)).toEqual({ n: expect.any(Number) });
    const chosen = await ask('Tea or "coffee"?', { output: { type: 'choice', options: ['tea', '"coffee" ä'] } });
    expect(['tea', '"coffee" ä']).toContain(chosen.text);
    const called = await ask('The weather in Rome?', { tools: [weather], output: { type: 'tool-calls' } });
    expect(called.parts).toContainEqual(
      expect.objectContaining({ type: 'tool-call', call: expect.objectContaining({ name: 'weather' }) }),
    );
  });

  it('stops at a given text, and counts a prompt as it reads it', async () => {
    const asked = modelRequest(small, 'Write the numbers from 1 to 9.', { stop: ['3'], maxOutputTokens: 40 });
    const { text, ended } = await collect(provider.stream(asked, never));
    expect(text).not.toContain('3');
    expect(await provider.countTokens(asked, never)).toBe(ended.usage.freshInput + ended.usage.cacheRead);
  });

  it('ends an aborted call, and answers the next one', async () => {
    const stop = new AbortController();
    const parts: string[] = [];
    for await (const part of provider.stream(
      modelRequest(small, 'Count to 500.', { maxOutputTokens: 900 }),
      stop.signal,
    )) {
      parts.push(part.type === 'ended' ? part.stopReason : part.type);
      if (part.type === 'text-delta') stop.abort();
    }
    expect(parts.at(-1)).toBe('cancelled');
    expect((await ask('Hello.', { maxOutputTokens: 4 })).ended.error).toBeNull();
  });

  it('refuses a caller without a key, and keeps the key out of its command line', async () => {
    const running = await own.use(ownLoad(own), never);
    if (!running.ok) throw new Error(running.message);
    const { address, key } = running.server;
    running.server.leave();
    const bare = await fetch(`${address}/v1/chat/completions`, { method: 'POST', body: '{}' });
    expect([bare.status, ownLoad(own).args.join(' ').includes(key)]).toEqual([401, false]);
  });

  it('describes tools by the template of the model, which then calls one with its input', async () => {
    const asked = { tools: [weather], maxOutputTokens: 96 };
    const request = modelRequest(tools, 'What is the weather in Rome? Use the tool.', asked);
    const { parts, text, ended } = await collect(provider.stream(request, never));
    expect([ended.error, ended.model]).toEqual([null, tools]);
    // Such a small model often omits the tags around its call. The agent then finds the call in the text.
    const calls = parts.map((part) => (part.type === 'tool-call' ? JSON.stringify(part.call) : ''));
    expect([text, ...calls].join('')).toMatch(/weather.*Rome/su);
  });

  it('ends when it is told to, and leaves nothing behind', async () => {
    await own.release();
    expect(own.running()).toBeNull();
  });
});

describe.runIf(program !== undefined && existsSync(modelPath(tools)))('a llama-server that drafts ahead', () => {
  const list = 'Write this list again, word for word:\n' + ['red', 'blue', 'green'].map(itemOf).join('\n');
  let own: OwnLlamaServer;
  beforeAll(() => {
    own = ownServer();
  });
  afterAll(() => own.dispose());

  it('keeps and counts what it looked up, and writes the same greedy text', async () => {
    const provider = open(own);
    expect((await provider.resolve(tools, never))?.drafting?.ways).toContain('lookup');
    const ask = (drafts: string) => collect(provider.stream({ ...asked, drafts }, never));
    const asked = modelRequest(tools, list, { maxOutputTokens: 36 });
    const plain = await ask('off');
    const looked = await ask('lookup');
    expect([plain.ended.error, looked.ended.error]).toEqual([null, null]);
    expect(plain.ended.engine?.drafts).toBeUndefined();
    expect(looked.ended.engine?.drafts).toMatchObject({ way: 'lookup', bytes: 0 });
    expect(looked.ended.engine?.drafts?.accepted).toBeGreaterThan(8);
    expect(looked.text).toBe(plain.text);
  });

  it('loads a draft model beside its model, and takes what was planned for both', async () => {
    const provider = open(own, { drafts: `llama-cpp/${tools}` });
    const asked = modelRequest(starter, 'Write the numbers from 1 to 30, with commas.', { maxOutputTokens: 24 });
    const { ended } = await collect(provider.stream(asked, never));
    expect(ended.error).toBeNull();
    const { drafts, predictedBytes, observedBytes } = ended.engine ?? {};
    expect(drafts?.way).toBe(`llama-cpp/${tools}`);
    expect(drafts?.accepted).toBeGreaterThan(4);
    expect(drafts?.bytes).toBeGreaterThan(491_400_064);
    // The server also copies weights into the processor's layout, which is not in the plan.
    expect(observedBytes ?? 0).toBeGreaterThan(0.9 * (predictedBytes ?? 0));
  });

  it('says that it works without a draft model when that is not here', async () => {
    const provider = open(own, { drafts: 'llama-cpp/gone' });
    const { ended } = await collect(provider.stream(modelRequest(small, 'Hello.', { maxOutputTokens: 4 }), never));
    expect(ended.engine).toMatchObject({ findings: ['no-drafts'] });
    expect(ended.engine?.drafts).toBeUndefined();
    expect(ended.engine?.why).toContain('llama-cpp/gone is not here');
  });
});

const itemOf = (color: string): string => `- a ${color} lamp on a ${color} table in the ${color} room`;

function ownLoad(own: OwnLlamaServer) {
  const running = own.running();
  if (running === null) throw new Error('nothing runs');
  return running.load;
}

describe.runIf(program !== undefined)('a llama-server that cannot serve', () => {
  it('reports its own last words', async () => {
    const own = ownServer();
    const broken = open(own, { contextTokens: 2048 });
    const load = {
      program: program ?? '',
      args: ['--model', '/nowhere.gguf'],
      modelPath: '/nowhere.gguf',
      idleMs: null,
    };
    expect(await own.use(load, never)).toMatchObject({
      ok: false,
      code: 'engine-lost',
      message: expect.stringContaining('/nowhere.gguf'),
    });
    await broken.dispose();
    await own.dispose();
  });

  it('is not started for a model that is not here', async () => {
    const own = ownServer();
    const { ended } = await collect(open(own).stream(modelRequest('nothing', 'Hello.'), never));
    expect(ended.error).toMatchObject({ code: 'missing-model' });
    await own.dispose();
  });
});
