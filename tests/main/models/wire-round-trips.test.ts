import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { EndpointCall } from '@shared/contract/endpoint-contract.ts';
import type { Message, Part } from '@shared/models/model-messages.ts';
import { codecWire } from '../../../src/main/models/providers/call/codec-wire.ts';
import { streamAnswer } from '../../../src/main/models/providers/call/stream-answer.ts';
import { chatPreset } from '../../../src/main/models/providers/chat-completions/chat-presets.ts';
import type { ModelRequest, StreamPart } from '../../../src/main/models/providers/define.ts';
import { chatCodec } from '../../../src/main/models/wire/chat-codec.ts';
import type { ChatTarget } from '../../../src/main/models/wire/chat-request.ts';
import { geminiCodec } from '../../../src/main/models/wire/gemini-codec.ts';
import { messagesCodec } from '../../../src/main/models/wire/messages-codec.ts';
import { responsesCodec } from '../../../src/main/models/wire/responses-codec.ts';
import type { AnsweringCodec, EndedPush, SaidPush, WireCodec } from '../../../src/main/models/wire/wire-codec.ts';
import { collect } from '../../fakes/provider-kit.ts';

/**
 * Catches: a format that is written in one direction and read differently in the other, so that a call loses a message,
 * a schema or a limit on its way through two Dewpoints, and an answer its calls, its ending or its counts.
 */
const target: ChatTarget = {
  by: 'x/claude-sonnet-4',
  images: true,
  reasoning: false,
  service: chatPreset('llama-server'),
};
const { signal } = new AbortController();

const messages: readonly Message[] = [
  { role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] },
  {
    role: 'user',
    parts: [
      { type: 'text', text: 'What is on it?' },
      { type: 'image', mediaType: 'image/png', data: 'aGVsbG8=' },
    ],
  },
  {
    role: 'assistant',
    parts: [
      { type: 'text', text: 'I look.' },
      { type: 'tool-call', id: 'call_1', name: 'look', input: { at: ['a', 'ü'], deep: { yes: true } } },
      { type: 'tool-call', id: 'call_2', name: 'look', input: {} },
    ],
  },
  { role: 'tool', parts: [{ type: 'tool-result', id: 'call_1', name: 'look', text: 'A cat.', isError: false }] },
  { role: 'tool', parts: [{ type: 'tool-result', id: 'call_2', name: 'look', text: 'no file', isError: true }] },
  { role: 'user', parts: [{ type: 'text', text: 'And now?' }] },
];

const asked: ModelRequest = {
  model: 'claude-sonnet-4',
  messages,
  tools: [
    { name: 'look', description: 'Looks.', inputSchema: { type: 'object', properties: { at: { type: 'array' } } } },
  ],
  output: { type: 'json-schema', schema: { type: 'object', properties: { animal: { type: 'string' } } } },
  prefill: null,
  stop: ['END'],
  temperature: 0.4,
  topP: 0.9,
  seed: 7,
  maxOutputTokens: 321,
  cacheKey: 'key',
};

interface Format {
  readonly name: string;
  readonly codec: AnsweringCodec & { readonly encodeRequest: (request: ModelRequest, to: ChatTarget) => unknown };
  readonly through: (pushes: readonly SaidPush[], ended: EndedPush) => Promise<readonly StreamPart[]>;
  /** What of a call the format cannot say, or our provider leaves out of it. */
  readonly lost: Partial<EndpointCall>;
  readonly keepsReasoning: boolean;
  /** Whether the result of a tool can be marked as an error. */
  readonly marksErrors: boolean;
}

function formatOf<Event>(
  name: string,
  codec: WireCodec<Event, ChatTarget>,
  cannot: Pick<Format, 'lost' | 'keepsReasoning' | 'marksErrors'>,
): Format {
  return { name, codec, through: (pushes, ended) => answered(codec, pushes, ended), ...cannot };
}

const formats: readonly Format[] = [
  formatOf('Chat Completions', chatCodec, { lost: {}, keepsReasoning: true, marksErrors: false }),
  formatOf('Responses', responsesCodec, { lost: { stop: [], seed: null }, keepsReasoning: false, marksErrors: false }),
  formatOf('Messages', messagesCodec, { lost: { topP: null, seed: null }, keepsReasoning: false, marksErrors: true }),
];

/** The answer, written as the endpoint writes it and read as a provider reads it. */
async function answered<Event>(
  codec: WireCodec<Event, ChatTarget>,
  pushes: readonly SaidPush[],
  ended: EndedPush,
): Promise<readonly StreamPart[]> {
  const { call } = codec.decodeRequest(codec.encodeRequest(asked, target));
  const encoder = codec.encodeAnswer({ call, isStream: true, wantsUsage: true, id: 'abc', at: 0 });
  const text = [encoder.start(), encoder.pause, ...pushes.map(encoder.said), encoder.end(ended)].join('');
  const wire = codecWire({
    codec,
    targetOf: () => target,
    send: async () => eventsIn<Event>(text),
    errorOf: () => null,
  });
  return collect(streamAnswer(wire, asked, { signal, now: () => 0, firstWordMs: 9_000, stallMs: 9_000 }));
}

async function* eventsIn<Event>(text: string): AsyncIterable<Event> {
  for (const [, data = ''] of text.matchAll(/^data: (.*)$/gmu)) if (data !== '[DONE]') yield JSON.parse(data);
}

const ended = (stopReason: EndedPush['stopReason']): EndedPush => ({
  type: 'ended',
  model: asked.model,
  stopReason,
  usage: { freshInput: 11, cacheRead: 5, cacheWrite: 0, output: 9, reasoning: 0, estimated: false },
  costUsd: null,
  seconds: 1,
});

const looks: readonly SaidPush[] = [
  { type: 'reasoning', text: 'A cat, I think.' },
  { type: 'text', text: 'I look ' },
  { type: 'text', text: 'again…\n"ü"' },
  { type: 'call', id: 'call_3', name: 'look', input: { at: ['b'] } },
  { type: 'call', id: 'call_4', name: 'look', input: {} },
];

function expectLooks(parts: readonly StreamPart[], { keepsReasoning }: Pick<Format, 'keepsReasoning'>): void {
  const textOf = (type: 'text-delta' | 'reasoning-delta'): string =>
    parts.map((part) => (part.type === type ? part.text : '')).join('');
  expect(textOf('text-delta')).toBe('I look again…\n"ü"');
  expect(textOf('reasoning-delta')).toBe(keepsReasoning ? 'A cat, I think.' : '');
  expect(parts.flatMap((part) => (part.type === 'tool-call' ? [part.call] : []))).toMatchObject([
    { id: 'call_3', name: 'look', input: { at: ['b'] } },
    { id: 'call_4', name: 'look', input: {} },
  ]);
  expect(parts.at(-1)).toMatchObject({
    type: 'ended',
    stopReason: 'tool-calls',
    usage: ended('stop').usage,
    model: asked.model,
    error: null,
  });
}

describe.each(formats)('the wire format $name', ({ codec, through, lost, keepsReasoning, marksErrors }) => {
  it('keeps everything in a call', () => {
    const { call } = codec.decodeRequest(codec.encodeRequest(asked, target));
    expect(call).toEqual({
      model: asked.model,
      messages: messages.map(({ role, parts }) => ({
        role,
        parts: parts.map((part) => (part.type === 'tool-result' && !marksErrors ? { ...part, isError: false } : part)),
      })),
      tools: asked.tools,
      toolChoice: 'auto',
      schema: { type: 'object', properties: { animal: { type: 'string' } } },
      stop: ['END'],
      temperature: 0.4,
      topP: 0.9,
      seed: 7,
      maxOutputTokens: 321,
      effort: null,
      ...lost,
    });
  });

  it.each(['low', 'medium', 'high'] as const)('keeps the wish to think: %s', (effort) => {
    const thinking = { ...asked, model: 'claude-opus-4-7', effort, output: { type: 'text' } as const };
    const { call } = codec.decodeRequest(codec.encodeRequest(thinking, { ...target, reasoning: true }));
    expect(call).toMatchObject({ effort, schema: null });
  });

  it('keeps the text, calls, end and counts of an answer', async () => {
    expectLooks(await through(looks, ended('tool-calls')), { keepsReasoning });
  });

  it.each(['stop', 'length'] as const)('keeps the end of an answer by %s', async (stopReason) => {
    const parts = await through([{ type: 'text', text: 'Yes' }], ended(stopReason));
    expect(parts.at(-1)).toMatchObject({ stopReason, error: null });
  });
});

/** Gemini's requests, as far as a call needs them: nobody answers in this format, so its other half is only here. */
const geminiPart = z.union([
  z.object({ text: z.string() }).transform(({ text }): Part => ({ type: 'text', text })),
  z
    .object({ inlineData: z.object({ mimeType: z.literal('image/png'), data: z.string() }) })
    .transform(({ inlineData: { mimeType, data } }): Part => ({ type: 'image', mediaType: mimeType, data })),
  z
    .object({ functionCall: z.object({ name: z.string(), args: z.unknown() }) })
    .transform(({ functionCall: { name, args } }): Part => ({ type: 'tool-call', id: '', name, input: args })),
  z
    .object({
      functionResponse: z.object({
        name: z.string(),
        response: z.union([z.object({ output: z.string() }), z.object({ error: z.string() })]),
      }),
    })
    .transform(({ functionResponse: { name, response } }): Part => {
      const isError = 'error' in response;
      return { type: 'tool-result', id: '', name, text: isError ? response.error : response.output, isError };
    }),
]);
const geminiRequest = z.object({
  systemInstruction: z.object({ parts: z.array(geminiPart) }),
  contents: z.array(z.object({ role: z.enum(['user', 'model']), parts: z.array(geminiPart) })),
  tools: z.tuple([z.object({ functionDeclarations: z.array(z.unknown()) })]),
  generationConfig: z.record(z.string(), z.unknown()),
});

describe('the wire format of Gemini', () => {
  it('keeps everything in a call except call ids, which follow their position', () => {
    const body = geminiRequest.parse(geminiCodec.encodeRequest(asked, target));
    const withoutIds = (parts: readonly Part[]): readonly Part[] =>
      parts.map((part) => ('id' in part ? { ...part, id: '' } : part));
    expect(body.systemInstruction.parts).toEqual(messages[0]?.parts);
    expect(body.contents.flatMap(({ parts }) => parts)).toEqual(
      messages.slice(1).flatMap(({ parts }) => withoutIds(parts)),
    );
    expect(body.tools[0].functionDeclarations).toEqual(
      asked.tools.map(({ name, description, inputSchema }) => ({
        name,
        description,
        parametersJsonSchema: inputSchema,
      })),
    );
    expect(body.generationConfig).toEqual({
      maxOutputTokens: 321,
      temperature: 0.4,
      topP: 0.9,
      seed: 7,
      stopSequences: ['END'],
      responseMimeType: 'application/json',
      responseJsonSchema: { type: 'object', properties: { animal: { type: 'string' } } },
    });
  });

  it('keeps the text, calls, end and counts of an answer', async () => {
    const parts = looks.map((push) => {
      if (push.type === 'call') return { functionCall: { id: push.id, name: push.name, args: push.input } };
      return { text: push.text, thought: push.type === 'reasoning' };
    });
    const usageMetadata = { promptTokenCount: 16, cachedContentTokenCount: 5, candidatesTokenCount: 9 };
    const events = [
      ...parts.map((part) => ({ candidates: [{ content: { parts: [part] } }] })),
      { candidates: [{ finishReason: 'STOP' }], usageMetadata, modelVersion: asked.model },
    ];
    const text = events.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('');
    const wire = codecWire({
      codec: geminiCodec,
      targetOf: () => target,
      send: async () => eventsIn<unknown>(text),
      errorOf: () => null,
    });
    const limits = { signal, now: () => 0, firstWordMs: 9_000, stallMs: 9_000 };
    expectLooks(await collect(streamAnswer(wire, asked, limits)), { keepsReasoning: true });
  });
});
