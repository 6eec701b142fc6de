import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { timingsSchema } from '@shared/events/call-report.ts';
import { maxOutputTokens } from '@shared/models/prompt-room.ts';
import { usageSchema } from '@shared/money/token-cost.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import { openaiCompatibleSchema } from '@shared/settings/settings.ts';
import definition from '../../../../src/main/models/providers/openai-compatible.provider.ts';
import type { ModelRequest, Provider, StreamEnded, StreamPart } from '../../../../src/main/models/providers/define.ts';
import { watchForStalls } from '../../../../src/main/models/providers/call/stall-watch.ts';
import type { ChatServer } from '../../../fakes/chat-server.ts';
import { frame, startChatServer, toolCallStream } from '../../../fakes/chat-server.ts';
import { collect, providerDependencies, request } from '../../../fakes/provider-kit.ts';

let server: ChatServer;
let provider: Provider;

beforeEach(async () => {
  server = await startChatServer();
  provider = definition.create(providerDependencies(), {
    id: 'test',
    settings: openaiCompatibleSchema.parse({ kind: 'openai-compatible', baseUrl: server.baseUrl }),
  });
});

afterEach(() => server.close());

const run = async (
  overrides: Partial<ModelRequest> = {},
  signal = new AbortController().signal,
): Promise<readonly StreamPart[]> => {
  const parts = await collect(provider.stream({ ...request('m'), ...overrides }, signal));
  return parts.filter(({ type }) => type !== 'progress');
};

const endOf = (parts: readonly StreamPart[]): StreamEnded => {
  const last = parts.at(-1);
  if (last?.type !== 'ended') throw new Error('the stream has no end');
  return last;
};

// Catches: pictures that are refused for an endpoint that cannot say that its models see them.
it('a compatible service has models that see pictures if the user says so, for all of them or for one', async () => {
  const signal = new AbortController().signal;
  const sees = async (own: object): Promise<boolean | undefined> => {
    const settings = openaiCompatibleSchema.parse({ kind: 'openai-compatible', baseUrl: server.baseUrl, ...own });
    const made = definition.create(providerDependencies(), { id: 'test', settings });
    return (await made.resolve('m', signal))?.capabilities.images;
  };
  expect(await sees({})).toBe(false);
  expect(await sees({ images: true })).toBe(true);
  expect(await sees({ models: { m: { images: true } } })).toBe(true);
  expect(await sees({ images: true, models: { m: { images: false } } })).toBe(false);
});

describe('a whole answer of a compatible service', () => {
  it('has its text, a tool call with input, and usage in separate counts', async () => {
    const parts = await run();
    expect(parts.slice(0, -1)).toEqual([
      { type: 'text-delta', text: 'I look. ' },
      {
        type: 'tool-call',
        call: { type: 'tool-call', id: 'c1', name: 'read_file', input: { path: 'a.py' }, raw: '{"path":"a.py"}' },
      },
    ]);
    expect(endOf(parts)).toMatchObject({
      stopReason: 'tool-calls',
      usage: { freshInput: 40, cacheRead: 60, cacheWrite: 0, output: 7, reasoning: 0, estimated: false },
      error: null,
    });
  });

  // Catches: a server whose measures made a log that nobody could import again.
  it('has none of the measures that cannot be', async () => {
    const counts = { prompt_tokens: 10.5, completion_tokens: -3 };
    const timings = { prompt_n: 1.5, prompt_ms: -5, predicted_ms: -1 };
    const body = [
      frame({ choices: [{ index: 0, delta: { content: 'Four.' } }] }),
      frame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: counts, timings }),
    ].join('');
    server.behave({ type: 'stream', body, after: 'end' });
    const { usage, timings: told, evaluatedTokens } = endOf(await run());
    expect(usageSchema.parse(usage)).toEqual(usage);
    expect(usage.estimated).toBe(true);
    expect([evaluatedTokens, told.prefillMs]).toEqual([null, null]);
    expect(timingsSchema.parse(told)).toEqual(told);
  });

  it('is requested with tools, history and limits in the wire format', async () => {
    await run({
      messages: [
        { role: 'system', parts: [{ type: 'text', text: 'S' }] },
        { role: 'user', parts: [{ type: 'text', text: 'U' }] },
        {
          role: 'assistant',
          parts: [
            { type: 'reasoning', text: 'secret' },
            { type: 'tool-call', id: 'c1', name: 'read_file', input: { path: 'a' } },
          ],
        },
        { role: 'tool', parts: [{ type: 'tool-result', id: 'c1', name: 'read_file', text: 'body', isError: false }] },
      ],
      tools: [{ name: 'read_file', description: 'Reads.', inputSchema: { type: 'object' } }],
    });
    expect(server.requests).toEqual([
      {
        model: 'm',
        stream: true,
        stream_options: { include_usage: true },
        max_tokens: 64,
        messages: [
          { role: 'system', content: 'S' },
          { role: 'user', content: 'U' },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } }],
          },
          { role: 'tool', tool_call_id: 'c1', content: 'body' },
        ],
        tools: [
          { type: 'function', function: { name: 'read_file', description: 'Reads.', parameters: { type: 'object' } } },
        ],
      },
    ]);
  });
});

describe('an unknown service', () => {
  // Bug: models that refuse a temperature or top_p ended the task, and a first file with its tests was cut off.
  it('gets no sampling parameters unless a person set them, and a limit of 16,000 tokens', async () => {
    await run({ temperature: 0.4, topP: 0.9 });
    await run({ temperature: 0.4, topP: 0.9, isSamplingChosen: true });
    const sent = server.requests.map((body) => [fieldOf(body, 'temperature'), fieldOf(body, 'top_p')]);
    expect(sent).toEqual([
      [undefined, undefined],
      [0.4, 0.9],
    ]);
    const info = await provider.resolve('m', new AbortController().signal);
    expect(info === null ? 0 : maxOutputTokens(info)).toBeGreaterThanOrEqual(16_000);
  });
});

describe('a failed call of a compatible service', () => {
  it.each([
    [429, 'rate-limit', true],
    [500, 'overloaded', true],
    [503, 'overloaded', true],
    [401, 'auth', false],
    [404, 'missing-model', false],
    [400, 'bad-request', false],
  ] as const)('with status %i says what it means', async (status, code, retryable) => {
    server.behave({ type: 'status', status });
    expect(endOf(await run()).error).toMatchObject({ code, retryable });
  });

  it('says how long to wait', async () => {
    server.behave({ type: 'status', status: 429, headers: { 'retry-after': '7' } });
    expect(endOf(await run()).error).toMatchObject({ retryAfterMs: 7000 });
  });

  /** Catches: a wait that is longer by as much as the clock of this machine was put back. */
  it("reads a date to wait for by the server's clock", async () => {
    const headers = { 'retry-after': 'Sat, 01 Jan 2050 00:00:30 GMT', date: 'Sat, 01 Jan 2050 00:00:00 GMT' };
    server.behave({ type: 'status', status: 429, headers });
    expect(endOf(await run()).error).toMatchObject({ retryAfterMs: 30_000 });
  });

  it('differs for a full context and another bad request', async () => {
    server.behave({
      type: 'status',
      status: 400,
      body: JSON.stringify({ error: { message: 'maximum context length is 4096 tokens' } }),
    });
    expect(endOf(await run()).error).toMatchObject({ code: 'context-full', retryable: false });
  });

  it('may be tried again after an error inside a 200', async () => {
    server.behave({ type: 'stream', body: frame({ error: { message: 'the engine died', code: 500 } }), after: 'end' });
    expect(endOf(await run()).error).toMatchObject({ retryable: true });
  });

  it('is reported as broken off when the answer is empty', async () => {
    server.behave({ type: 'stream', body: 'data: [DONE]\n\n', after: 'end' });
    expect(endOf(await run()).error).toMatchObject({ code: 'cut' });
  });

  it('says that the server is not there', async () => {
    await server.close();
    expect(endOf(await run()).error).toMatchObject({ code: 'network', retryable: true });
    server = await startChatServer();
  });

  it('ends at an abort although the server hangs', async () => {
    server.behave({ type: 'stream', body: toolCallStream().slice(0, 60), after: 'hang' });
    const controller = new AbortController();
    const running = run({}, controller.signal);
    await expect.poll(() => server.requests).toHaveLength(1);
    controller.abort();
    expect(endOf(await running)).toMatchObject({ stopReason: 'cancelled', error: null });
  });

  it('runs no tool call of an answer that hit the length limit', async () => {
    const body = toolCallStream().replace('"finish_reason":"tool_calls"', '"finish_reason":"length"');
    server.behave({ type: 'stream', body, after: 'end' });
    const parts = await run();
    expect(parts.some((part) => part.type === 'tool-call')).toBe(false);
    expect(endOf(parts).stopReason).toBe('length');
  });
});

describe('a watched stream', () => {
  it('fails when the next item takes too long', async () => {
    async function* slow(): AsyncIterable<number> {
      yield 1;
      await new Promise(() => undefined);
    }
    const seen: number[] = [];
    const reading = (async () => {
      for await (const item of watchForStalls(slow(), () => 30, new AbortController().signal)) seen.push(item);
    })();
    await expect(reading).rejects.toThrow('Nothing came for');
    expect(seen).toEqual([1]);
  });
});

describe('a call that is forced by a schema', () => {
  const tools = [{ name: 'read_file', description: 'Reads.', inputSchema: { type: 'object' } }];
  const says = (...pieces: readonly string[]): void =>
    server.behave({
      type: 'stream',
      body: [
        // Some servers leave `finish_reason` out until the end.
        ...pieces.map((content) => frame({ choices: [{ index: 0, delta: { content } }] })),
        frame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
        'data: [DONE]\n\n',
      ].join(''),
      after: 'end',
    });
  const forced = (): Promise<readonly StreamPart[]> => run({ output: { type: 'tool-calls' }, tools });

  it('is requested by the form of the answer, without a list of tools', async () => {
    says('{"tool": "read_file", ', '"input": {"path": "a.py"}}');
    const parts = await forced();
    expect(server.requests[0]).not.toHaveProperty('tools');
    expect(server.requests[0]).toMatchObject({
      response_format: {
        type: 'json_schema',
        json_schema: { schema: { anyOf: [{ properties: { tool: { enum: ['read_file'] } } }] } },
      },
    });
    expect(parts.slice(0, -1)).toEqual([
      { type: 'tool-call', call: expect.objectContaining({ name: 'read_file', input: { path: 'a.py' } }) },
    ]);
    expect(endOf(parts).stopReason).toBe('tool-calls');
  });

  it('is read as text if the server ignored the schema', async () => {
    says('I would read ', 'a.py first.');
    const parts = await forced();
    expect(parts.slice(0, -1)).toEqual([{ type: 'text-delta', text: 'I would read a.py first.' }]);
    expect(endOf(parts).stopReason).toBe('stop');
  });

  it('is not run if it was cut off', async () => {
    server.behave({
      type: 'stream',
      body: [
        frame({ choices: [{ index: 0, delta: { content: '{"tool": "read_file", "input": {' }, finish_reason: null }] }),
        frame({ choices: [{ index: 0, delta: {}, finish_reason: 'length' }] }),
      ].join(''),
      after: 'end',
    });
    const parts = await forced();
    expect(parts.some(({ type }) => type === 'tool-call')).toBe(false);
    expect(endOf(parts).stopReason).toBe('length');
  });
});
