import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelRequest, Provider, StreamPart } from '../../../../../src/main/models/providers/define.ts';
import type { FakeOllama } from '../../../../fakes/ollama-server.ts';
import { startFakeOllama } from '../../../../fakes/ollama-server.ts';
import { endOf, machines, ollamaProvider } from '../../../../fakes/ollama-troubles.ts';
import { collect, request } from '../../../../fakes/provider-kit.ts';

const never = new AbortController().signal;

let server: FakeOllama;
let provider: Provider;

beforeEach(async () => {
  server = await startFakeOllama();
  provider = ollamaProvider(server.address);
});

afterEach(async () => {
  await provider.dispose();
  await server.close();
});

const run = (overrides: Partial<ModelRequest> = {}, signal = never): Promise<readonly StreamPart[]> =>
  collect(provider.stream({ ...request('m'), ...overrides }, signal));

const textIn = (parts: readonly StreamPart[]): string =>
  parts.map((part) => (part.type === 'text-delta' ? part.text : '')).join('');

/** The requests with messages, in order. */
const chats = (): readonly Readonly<Record<string, unknown>>[] =>
  server.requests
    .filter(({ path, body }) => path === '/api/chat' && Array.isArray(body.messages) && body.messages.length > 0)
    .map(({ body }) => body);
const loads = (): readonly unknown[] =>
  server.requests
    .filter(({ path, body }) => path === '/api/chat' && Array.isArray(body.messages) && body.messages.length === 0)
    .map(({ body }) => body.options);

describe('a whole answer of Ollama', () => {
  it("has its text, the server's counts and a report of the load", async () => {
    const parts = await run();
    expect(textIn(parts)).toBe('Hello there.');
    const { totalMs: _total, queuedMs: _queued, ...timings } = endOf(parts).timings;
    expect({ ...endOf(parts), timings }).toEqual({
      type: 'ended',
      stopReason: 'stop',
      usage: { freshInput: 19, cacheRead: 0, cacheWrite: 0, output: 40, reasoning: 0, estimated: false },
      evaluatedTokens: 19,
      timings: { prefillMs: 100, decodeMs: 800 },
      error: null,
      model: 'm:latest',
      logprobs: [-0.5, -0.5],
      engine: {
        backend: 'cpu',
        askedTokens: 8192,
        grantedTokens: 8192,
        contextTokens: 8192,
        sequences: 1,
        predictedBytes: expect.any(Number),
        observedBytes: 508_192_000,
        findings: [],
        why: null,
      },
    });
  });

  it('is requested with one set of options, which never lets the server drop text', async () => {
    await run({ seed: 7 });
    await run({ temperature: 0.5, maxOutputTokens: 9, stop: ['END'] });
    expect(loads()).toEqual([{ num_ctx: 8192 }]);
    expect(chats().map(({ options }) => options)).toEqual([
      { temperature: 0, top_p: 1, num_predict: 64, seed: 7, num_ctx: 8192 },
      { temperature: 0.5, top_p: 1, num_predict: 9, stop: ['END'], num_ctx: 8192 },
    ]);
    for (const body of chats()) expect(body).toMatchObject({ truncate: false, shift: false, keep_alive: '5m' });
  });

  it('does not say how much was evaluated in a later call', async () => {
    await run();
    expect(endOf(await run()).evaluatedTokens).toBeNull();
  });

  it('passes on thoughts at once, and tool calls only at its end', async () => {
    server.habits.capabilities = ['completion', 'tools', 'thinking'];
    server.habits.answer = [
      { role: 'assistant', thinking: 'Let me ' },
      { role: 'assistant', thinking: 'look.' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ function: { name: 'read_file', arguments: { path: 'a.py' } } }],
      },
    ];
    const parts = await run({ tools: [{ name: 'read_file', description: 'Reads.', inputSchema: { type: 'object' } }] });
    expect(parts.filter(({ type }) => type !== 'progress' && type !== 'ended')).toEqual([
      { type: 'reasoning-delta', text: 'Let me ' },
      { type: 'reasoning-delta', text: 'look.' },
      { type: 'reasoning', part: { type: 'reasoning', text: 'Let me look.', by: 'ollama/m' } },
      {
        type: 'tool-call',
        call: { type: 'tool-call', id: 'call-1', name: 'read_file', input: { path: 'a.py' }, raw: '{"path":"a.py"}' },
      },
    ]);
    expect(endOf(parts).stopReason).toBe('tool-calls');
    expect(chats()[0]?.tools).toEqual([
      { type: 'function', function: { name: 'read_file', description: 'Reads.', parameters: { type: 'object' } } },
    ]);
  });

  it('is requested with results, images and only the thoughts of this model', async () => {
    server.habits.capabilities = ['completion', 'tools', 'vision'];
    await run({
      messages: [
        { role: 'system', parts: [{ type: 'text', text: 'S' }] },
        {
          role: 'user',
          parts: [
            { type: 'text', text: 'U' },
            { type: 'image', mediaType: 'image/png', data: 'aGk=' },
          ],
        },
        {
          role: 'assistant',
          parts: [
            { type: 'reasoning', text: 'mine', by: 'ollama/m' },
            { type: 'reasoning', text: 'of another', by: 'anthropic/x' },
            { type: 'tool-call', id: 'c1', name: 'read_file', input: { path: 'a' } },
          ],
        },
        { role: 'tool', parts: [{ type: 'tool-result', id: 'c1', name: 'read_file', text: 'body', isError: false }] },
      ],
    });
    expect(chats()[0]?.messages).toEqual([
      { role: 'system', content: 'S' },
      { role: 'user', content: 'U', images: ['aGk='] },
      {
        role: 'assistant',
        content: '',
        thinking: 'mine',
        tool_calls: [{ id: 'c1', function: { index: 0, name: 'read_file', arguments: { path: 'a' } } }],
      },
      { role: 'tool', content: 'body', tool_name: 'read_file', tool_call_id: 'c1' },
    ]);
  });

  it('can be a choice or a forced call', async () => {
    server.habits.answer = [{ role: 'assistant', content: '"b"' }];
    expect(textIn(await run({ output: { type: 'choice', options: ['a', 'b'] } }))).toBe('b');
    server.habits.answer = [{ role: 'assistant', content: '{"tool": "run", "input": {"x": 1}}' }];
    const tools = [{ name: 'run', description: 'Runs.', inputSchema: { type: 'object' } }];
    const parts = await run({ output: { type: 'tool-calls' }, tools });
    expect(parts.flatMap((part) => (part.type === 'tool-call' ? [[part.call.name, part.call.input]] : []))).toEqual([
      ['run', { x: 1 }],
    ]);
    expect(textIn(parts)).toBe('');
  });
});

describe('the memory of Ollama', () => {
  it('is reduced by one step, once, if a part did not fit on the card', async () => {
    server.habits.onCard = 0.9;
    server.habits.spillsAbove = 20_000;
    provider = ollamaProvider(server.address, { machine: machines.card });
    const { engine } = endOf(await run());
    expect(loads()).toEqual([{ num_ctx: 32_768 }, { num_ctx: 16_384 }]);
    expect(engine).toMatchObject({ backend: 'gpu', grantedTokens: 32_768, contextTokens: 16_384 });
    await run();
    expect(loads()).toHaveLength(2);
    expect((await provider.resolve('m', never))?.contextTokens).toBe(16_384);
  });

  it('is not loaded again for a server that counts several conversations together', async () => {
    server.habits.slots = 4;
    await run();
    await run();
    expect(loads()).toHaveLength(1);
    expect(endOf(await run()).engine).toMatchObject({ contextTokens: 8192, findings: [] });
  });

  it('limits later calls to what the server made', async () => {
    server.habits.madeTokens = 4096;
    expect((await provider.resolve('m', never))?.contextTokens).toBe(8192);
    await run();
    expect((await provider.resolve('m', never))?.contextTokens).toBe(4096);
    await run();
    expect(loads()).toHaveLength(1);
  });

  it('is planned from an earlier header while the digest is the same', async () => {
    await run();
    await run();
    expect(server.requests.filter(({ path }) => path === '/api/show')).toHaveLength(1);
  });

  it('is loaded again when another program loaded the model with other options', async () => {
    await run();
    server.resident.set('m:latest', 2048);
    await run();
    expect(loads()).toHaveLength(2);
  });

  it('is loaded again after the machine has slept', async () => {
    await run();
    server.sleep();
    expect(textIn(await run())).toBe('Hello there.');
    expect(loads()).toHaveLength(2);
  });

  it('is freed at the end only if the model is not to be kept', async () => {
    await run();
    await provider.dispose();
    expect([...server.resident.keys()]).toEqual(['m:latest']);
    provider = ollamaProvider(server.address, { settings: { keepAliveMinutes: 0 } });
    server.resident.clear();
    await run();
    await provider.dispose();
    expect([...server.resident.keys()]).toEqual([]);
  });
});

describe('a growing prompt', () => {
  it('fails when the server suddenly reads less of its beginning', async () => {
    const line = 'A sentence of some words that a tokenizer reads. ';
    const user = (count: number) => ({
      role: 'user' as const,
      parts: [{ type: 'text' as const, text: line.repeat(count) }],
    });
    const answer = { role: 'assistant' as const, parts: [{ type: 'text' as const, text: 'Yes.' }] };
    const first = [user(120)];
    expect(endOf(await run({ messages: first })).error).toBeNull();
    server.habits.truncates = true;
    server.habits.tellsMade = false;
    server.habits.madeTokens = 1500;
    const grown = endOf(await run({ messages: [...first, answer, user(30)] }));
    expect(grown.error).toMatchObject({
      code: 'context-full',
      message: expect.stringContaining('only adds to one of'),
    });
  });
});

describe('a call beside another call', () => {
  it('waits, and ends at once when it is given up while it waits', async () => {
    server.habits.hangs = ['answer'];
    const stop = new AbortController();
    const given = new AbortController();
    const first = run({}, stop.signal);
    const second = run({}, given.signal);
    given.abort();
    expect(endOf(await second)).toMatchObject({ stopReason: 'cancelled', error: null });
    stop.abort();
    expect(endOf(await first)).toMatchObject({ stopReason: 'cancelled', error: null });
    server.habits.hangs = [];
    expect(endOf(await run()).error).toBeNull();
  });
});

describe('a reader that stops at the end of an answer', () => {
  it.each([{ half: [] }, { half: ['answer'] }, { half: ['load'] }])('blocks no other call (%j)', async ({ half }) => {
    server.habits.half = half;
    for await (const part of { [Symbol.asyncIterator]: () => withoutReturn(provider) })
      if (part.type === 'ended') break;
    server.habits.half = [];
    expect(endOf(await run()).error).toBeNull();
  });
});

/** Reads as the agent does: without calling `return` when it stops reading. */
function withoutReturn(from: Provider): AsyncIterator<StreamPart> {
  const iterator = from.stream(request('m'), never)[Symbol.asyncIterator]();
  return { next: () => iterator.next() };
}

describe('the models of Ollama', () => {
  it('are listed with their abilities', async () => {
    expect(await provider.list(never)).toMatchObject([
      {
        id: 'ollama/m:latest',
        where: 'local',
        contextTokens: 32_768,
        parametersB: 1.5,
        capabilities: { tools: true, grammar: true, images: false, reasoning: false },
        strategies: ['recipe'],
        sizeBytes: 500_000_000,
        digest: 'a'.repeat(64),
      },
    ]);
  });

  // Catches: a model that is said to see, whose images are dropped on the way.
  it.each([
    { name: 'm', capabilities: ['completion'], images: true },
    { name: 'm:latest', capabilities: ['completion', 'vision'], images: false },
  ])(
    'see images as the user says, with and without their tag: $name, $images',
    async ({ name, capabilities, images }) => {
      server.habits.capabilities = capabilities;
      provider = ollamaProvider(server.address, { settings: { models: { 'm:latest': { images } } } });
      expect(await provider.resolve(name, never)).toMatchObject({ capabilities: { images } });
      await collect(
        provider.stream(
          {
            ...request(name),
            messages: [{ role: 'user', parts: [{ type: 'image', mediaType: 'image/png', data: 'aGk=' }] }],
          },
          never,
        ),
      );
      expect(JSON.stringify(chats()[0]?.messages).includes('aGk=')).toBe(images);
    },
  );

  it('are cloud models without a price if the server only passes them on', async () => {
    server.habits.remoteHost = 'https://somewhere.example';
    expect(await provider.list(never)).toMatchObject([
      { where: 'cloud', price: null, note: 'runs at https://somewhere.example, not on this machine' },
    ]);
    expect(await provider.resolve('m', never)).toMatchObject({ id: 'ollama/m', where: 'cloud', price: null });
  });

  it('are none if the list is null', async () => {
    server.habits.nullLists = true;
    server.resident.clear();
    expect(endOf(await run()).error).toBeNull();
  });

  it('are repaired by a derived one only if that is asked for', async () => {
    server.habits.template = '{{ .Prompt }}';
    const offered = await provider.store?.repair('m', false, never);
    expect(offered).toMatchObject({ problem: expect.stringContaining('template is missing'), made: null });
    const created = () => server.requests.filter(({ path }) => path === '/api/create').map(({ body }) => body);
    expect(created()).toEqual([]);
    expect((await provider.store?.repair('m', true, never))?.made).toBe('dewpoint/m:latest');
    expect(created()).toEqual([
      {
        model: 'dewpoint/m:latest',
        from: 'm:latest',
        template: expect.stringContaining('<tool_call>'),
        parameters: { stop: ['<|im_end|>', '<|endoftext|>'] },
        stream: false,
      },
    ]);
  });

  it('are none while the server does not run, with a hint how to start it', async () => {
    await server.close();
    await expect(provider.list(never)).rejects.toThrow('ollama serve');
    expect(endOf(await run()).error).toMatchObject({
      code: 'network',
      message: expect.stringContaining('ollama serve'),
    });
  });
});
