import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Message } from '@shared/models/model-messages.ts';
import { textMessage } from '@shared/models/model-messages.ts';
import { openaiCompatibleSchema } from '@shared/settings/settings.ts';
import type { ModelRequest, Provider } from '../../src/main/models/providers/define.ts';
import openaiCompatible from '../../src/main/models/providers/openai-compatible.provider.ts';
import { repairTemplateFor } from '../../src/main/models/providers/ollama/repair-template.ts';
import type { Hardware } from '../../src/main/models/machine/hardware.ts';
import { providerDependencies } from '../fakes/provider-kit.ts';
import { twoEngines } from '../fakes/two-engines.ts';
import type { RealOllama } from './ollama-kit.ts';
import { ollamaProgram, realProvider, startOllama } from './ollama-kit.ts';
import { collect, modelPath, modelRequest, scratchDir, startEngine } from './support.ts';

const never = new AbortController().signal;
const bare = 'plain:latest';
const repaired = 'dewpoint/plain:latest';
const contextTokens = 2048;
const facts = { keys: {}, vocabulary: null, weights: null };
const tools = [
  {
    name: 'read_file',
    description: 'Reads a file of the project.',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
];
/** A pattern that even a very small model continues. */
const filesReadBefore: readonly Message[] = [
  textMessage('system', 'You are a careful programmer.'),
  ...['a.py', 'b.py'].flatMap((path, index): Message[] => [
    textMessage('user', `Read ${path}.`),
    { role: 'assistant', parts: [{ type: 'tool-call', id: `c${index}`, name: 'read_file', input: { path } }] },
    {
      role: 'tool',
      parts: [{ type: 'tool-result', id: `c${index}`, name: 'read_file', text: `x = ${index}`, isError: false }],
    },
    textMessage('assistant', `It says x = ${index}.`),
  ]),
  textMessage('user', 'Read main.py.'),
];
const residentSchema = z.object({
  models: z.array(z.object({ name: z.string(), context_length: z.number(), size: z.number() })),
});

// The tests run in order on one server: the second needs what the first has created.
describe.skipIf(ollamaProgram === undefined)('a real Ollama server', { timeout: 300_000 }, () => {
  let server: RealOllama;
  let provider: Provider;

  beforeAll(async () => {
    server = await startOllama(ollamaProgram ?? '');
    await server.create('plain', 'qwen2.5-coder-0.5b-instruct');
    provider = realProvider(server, { contextTokens });
  });
  afterAll(async () => {
    await provider.dispose();
    await server.stop();
    await rm(server.dir, { recursive: true, force: true });
  });

  const answer = (text: string, changes: Partial<ModelRequest> = {}) =>
    collect(provider.stream(modelRequest(repaired, text, changes), never));
  const resident = async () => residentSchema.parse(await (await fetch(`${server.address}/api/ps`)).json()).models;

  it('misses the template of a model made from a file, and is repaired only when told to', async () => {
    expect(await provider.resolve(bare, never)).toMatchObject({
      where: 'local',
      contextTokens,
      capabilities: { tools: false },
      note: expect.stringContaining('its template is missing'),
    });
    expect(await provider.store?.repair(bare, false, never)).toMatchObject({ made: null });
    expect((await provider.list(never)).map(({ name }) => name)).toEqual([bare]);
    expect((await provider.store?.repair(bare, true, never))?.made).toBe(repaired);
    expect(await provider.store?.repair(repaired, false, never)).toEqual({ problem: null, plan: null, made: null });
    expect((await provider.resolve(repaired, never))?.capabilities.tools).toBe(true);
  });

  it('loads a model as planned, and its counts of a call add up', async () => {
    const { text, ended } = await answer('Say hello.', { maxOutputTokens: 12 });
    expect(ended.error).toBeNull();
    expect(text.length).toBeGreaterThan(0);
    const there = await resident();
    expect(there).toMatchObject([{ name: repaired, context_length: contextTokens }]);
    expect(ended.engine).toMatchObject({ grantedTokens: contextTokens, contextTokens, findings: [], why: null });
    expect(ended.engine?.observedBytes).toBe(there[0]?.size);
    // For a small model on a processor, the server's figure is close to the plan.
    const share = (ended.engine?.predictedBytes ?? 0) / (ended.engine?.observedBytes ?? 1);
    expect(share).toBeGreaterThan(0.7);
    expect(share).toBeLessThan(1.5);
    // The token that ends the answer counts, but has no text.
    expect(ended.usage.estimated).toBe(false);
    expect([0, 1]).toContain(ended.usage.output - (ended.logprobs?.length ?? 0));
    expect(ended.evaluatedTokens).toBe(ended.usage.freshInput);
    expect(ended.timings.prefillMs).toBeGreaterThan(0);
    expect(ended.timings.decodeMs).toBeGreaterThan(0);
  });

  it('returns calls of tools, by itself and forced, and one of several options', async () => {
    // Such a small model omits the tags of a call. With a template without tags, Ollama still finds the call.
    const family = repairTemplateFor({ header: { facts, hollowKeys: [], markers: ['<|im_start|>', '<tool_call>'] } });
    const template = family?.template
      .replace('<tool_call>\n{{ range .T', '{{ range .T')
      .replace('{{ end }}</tool_call>', '{{ end }}');
    await server.post('/api/create', { model: 'bare-calls', from: repaired, template, stream: false });
    const own = await answer('Read main.py.', {
      model: 'bare-calls',
      messages: filesReadBefore,
      tools,
      maxOutputTokens: 40,
    });
    const forced = await answer('Read main.py.', { tools, output: { type: 'tool-calls' }, maxOutputTokens: 60 });
    const calls = [own, forced].map(({ parts }) =>
      parts.flatMap((part) => (part.type === 'tool-call' ? [[part.call.name, part.call.input]] : [])),
    );
    const call = ['read_file', { path: expect.stringContaining('main.py') }];
    expect(calls).toEqual([[call], [call]]);
    expect([own.ended.stopReason, own.text]).toEqual(['tool-calls', '']);
    const chosen = await answer('Is water wet?', { output: { type: 'choice', options: ['yes', 'no'] } });
    expect(['yes', 'no']).toContain(chosen.text);
  });

  it('holds an answer to one call by a schema, when addressed like any other server', async () => {
    const settings = openaiCompatibleSchema.parse({
      kind: 'openai-compatible',
      baseUrl: `${server.address}/v1`,
      where: 'local',
    });
    const plain = openaiCompatible.create(providerDependencies(), { id: 'plain', settings });
    const request = modelRequest(repaired, 'Read main.py.', {
      tools,
      output: { type: 'tool-calls' },
      maxOutputTokens: 60,
    });
    const { parts } = await collect(plain.stream(request, never));
    expect(parts.filter(({ type }) => type !== 'progress').slice(0, -1)).toEqual([
      { type: 'tool-call', call: expect.objectContaining({ name: 'read_file', input: { path: 'main.py' } }) },
    ]);
    await plain.dispose();
  });

  it('refuses what does not fit instead of dropping its beginning', async () => {
    const long = Array.from({ length: 400 }, (_, line) => `Line ${line} says ${line * 7}.`).join('\n');
    const { ended } = await answer(long);
    expect(ended.error).toMatchObject({ code: 'context-full' });
  });

  it('loads a model again for another plan, counts it correctly, and gives its memory back', async () => {
    const other = realProvider(server, { contextTokens: 1024, keepAliveMinutes: 0 });
    const { ended } = await collect(other.stream(modelRequest(repaired, 'Hi.', { maxOutputTokens: 2 }), never));
    expect(ended.engine).toMatchObject({ contextTokens: 1024, findings: [] });
    await other.dispose();
  });

  it('gives its memory to the built-in model when both do not fit, and gets it back', async () => {
    const engine = await startEngine();
    const dir = await scratchDir();
    // A machine with room for one of them, whichever it is, beside the gibibyte reserved for everything else.
    let isInServer = false;
    const hardware = (): Hardware => ({
      devices: [],
      host: {
        totalBytes: 4e9,
        freeBytes: 2e9 - (engine.loadedPath() === null ? 0 : 0.4e9) - (isInServer ? 0.7e9 : 0),
        source: 'a test',
      },
    });
    const path = modelPath('smollm2-135m-instruct');
    const both = twoEngines({ engine, modelPath: path, address: server.address, dir, contextTokens: 1024, hardware });
    const call = async (from: Provider, model: string) =>
      (await collect(from.stream(modelRequest(model, 'Hi.', { maxOutputTokens: 2 }), never))).ended;
    try {
      const first = await call(both.ollama, repaired);
      expect(first).toMatchObject({ error: null, engine: { contextTokens: 1024, why: null } });
      isInServer = true;
      expect(await call(both.inside, 'own')).toMatchObject({
        error: null,
        engine: { unloaded: [`ollama/${repaired}`] },
      });
      await expect.poll(resident, { timeout: 60_000 }).toEqual([]);
      isInServer = false;
      expect(await call(both.ollama, repaired)).toMatchObject({
        error: null,
        engine: { unloaded: ['llama-cpp/smollm2-135m-instruct'], contextTokens: 1024 },
      });
      expect(engine.loadedPath()).toBeNull();
    } finally {
      await engine.dispose();
      await rm(dir, { recursive: true, force: true });
    }
  });

  it('ends a cancelled call, and says what a missing model needs', async () => {
    const stop = new AbortController();
    const stream = provider.stream(
      modelRequest(repaired, 'Count to a thousand.', { maxOutputTokens: 900 }),
      stop.signal,
    );
    const parts = [];
    for await (const part of stream) {
      parts.push(part);
      if (part.type === 'text-delta') stop.abort();
    }
    expect(parts.at(-1)).toMatchObject({ type: 'ended', stopReason: 'cancelled', error: null });
    const missing = await collect(provider.stream(modelRequest('nobody', 'Hi.'), never));
    expect(missing.ended.error).toMatchObject({
      code: 'missing-model',
      message: expect.stringContaining('ollama pull'),
    });
  });
});
