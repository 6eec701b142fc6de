import { describe, expect, it } from 'vitest';
import type { Message } from '@shared/models/model-messages.ts';
import { textOf } from '@shared/models/model-messages.ts';
import type { ModelRequest } from '../../../../../src/main/models/providers/define.ts';
import { messagesCodec } from '../../../../../src/main/models/wire/messages-codec.ts';
import { chatCodec } from '../../../../../src/main/models/wire/chat-codec.ts';
import { chatPreset } from '../../../../../src/main/models/providers/chat-completions/chat-presets.ts';
import { geminiCodec } from '../../../../../src/main/models/wire/gemini-codec.ts';
import { responsesCodec } from '../../../../../src/main/models/wire/responses-codec.ts';
import { request } from '../../../../fakes/provider-kit.ts';
import { refuseAnthropic } from '../../../../fakes/wire/anthropic.ts';
import { deepseekStrictness, mistralStrictness, openaiStrictness, refuseChat } from '../../../../fakes/wire/chat.ts';
import { refuseGemini } from '../../../../fakes/wire/gemini.ts';
import type { Dice } from '../../../../fakes/wire/histories.ts';
import { createDice, sessionHistory, signed, wildHistory, writers } from '../../../../fakes/wire/histories.ts';
import { refuseResponses } from '../../../../fakes/wire/responses.ts';

interface Target {
  readonly name: string;
  readonly model: string;
  readonly body: (call: ModelRequest) => unknown;
  readonly refuse: (body: unknown) => string | null;
}

const mine =
  (by: string) =>
  (signature: string): boolean =>
    signature.startsWith(signed(by));

const chat = (preset: Parameters<typeof chatPreset>[0], model: string, strict: typeof openaiStrictness): Target => {
  const by = `${preset ?? 'openai-compatible'}/${model}`;
  const target = { service: chatPreset(preset), by, images: true, reasoning: false };
  return {
    name: by,
    model,
    body: (call) => chatCodec.encodeRequest(call, target),
    refuse: (body) => refuseChat(body, strict),
  };
};

const claude = (model: string): Target => {
  const target = { by: `anthropic/${model}`, images: true, reasoning: true };
  const refuse = (body: unknown): string | null => refuseAnthropic(body, mine(target.by));
  return { name: target.by, model, body: (call) => messagesCodec.encodeRequest(call, target), refuse };
};

const gemini = (model: string, signs: boolean): Target => {
  const target = { by: `gemini/${model}`, images: false, reasoning: true };
  const refuse = (body: unknown): string | null => refuseGemini(body, mine(target.by), signs);
  return { name: target.by, model, body: (call) => geminiCodec.encodeRequest(call, target), refuse };
};

const gpt = (model: string): Target => {
  const target = { by: `openai/${model}`, images: true, reasoning: true };
  const refuse = (body: unknown): string | null => refuseResponses(body, mine(target.by));
  return { name: target.by, model, body: (call) => responsesCodec.encodeRequest(call, target), refuse };
};

const targets: readonly Target[] = [
  claude('claude-opus-5'),
  claude('claude-opus-4-5'),
  gpt('gpt-6-sol'),
  gemini('gemini-3.8-flash', true),
  gemini('gemini-2.5-pro', false),
  chat(undefined, 'm', openaiStrictness),
  chat('mistral', 'devstral-2512', mistralStrictness),
  chat('deepseek', 'deepseek-v4-pro', deepseekStrictness),
  chat('openrouter', 'google/gemini-3.8-flash', openaiStrictness),
];

/** A lone surrogate: `JSON.stringify` writes it as an escape, and services refuse it. */
const halfCharacter = /\\ud[89a-f][0-9a-f]{2}|\\u0000/iu;

const efforts = [undefined, 'none', 'low', 'high'] as const;

function callOf(target: Target, messages: readonly Message[], dice: Dice): ModelRequest {
  const effort = dice.pick(efforts);
  const tools = [{ name: 'read_file', description: 'Reads.', inputSchema: { $schema: 'x', type: 'object' } }];
  return {
    ...request(target.model),
    messages,
    maxOutputTokens: 8192,
    tools: dice.chance(0.7) ? tools : [],
    ...(effort === undefined ? {} : { effort }),
  };
}

function problemOf(target: Target, messages: readonly Message[], dice: Dice): string | null {
  const body = target.body(callOf(target, messages, dice));
  const json = JSON.stringify(body);
  if (halfCharacter.test(json)) return 'half a character';
  const refused = target.refuse(JSON.parse(json));
  return refused === null
    ? null
    : `${refused}\n${JSON.stringify(messages, null, 1)}\n->\n${JSON.stringify(body, null, 1)}`;
}

const HISTORIES_EACH = 60;

describe.each(targets)('a history that moves to $name', (target) => {
  it.each(writers)('is accepted after work of $by', (writer) => {
    const dice = createDice(writer.by.length * 1000 + target.name.length);
    for (let count = 0; count < HISTORIES_EACH; count += 1) {
      const messages = sessionHistory(dice, count % 2 === 0 ? [writer] : [writer, ...writers]);
      expect(problemOf(target, messages, dice)).toBe(null);
    }
  });

  it('is accepted with any content', () => {
    const dice = createDice(7);
    for (let count = 0; count < 10 * HISTORIES_EACH; count += 1)
      expect(problemOf(target, wildHistory(dice), dice)).toBe(null);
  });

  it('has its own signatures, and none of another model', () => {
    const dice = createDice(17);
    for (let count = 0; count < HISTORIES_EACH; count += 1) {
      const body = JSON.stringify(target.body(callOf(target, sessionHistory(dice, writers), dice)));
      for (const { by } of writers) if (by !== target.name) expect(body).not.toContain(signed(by));
    }
    const own = writers.find(({ by }) => by === target.name);
    const thought = own?.reasoning('a thought') ?? null;
    const state = own?.callState ?? null;
    if (own === undefined || (thought === null && state === null)) return;
    const carried = state === null ? {} : { by: own.by, state };
    const messages: Message[] = [
      { role: 'user', parts: [{ type: 'text', text: 'Go.' }] },
      {
        role: 'assistant',
        parts: [
          ...(thought === null ? [] : [thought]),
          { type: 'tool-call', id: 'c1', name: 'read_file', input: {}, ...carried },
        ],
      },
      { role: 'tool', parts: [{ type: 'tool-result', id: 'c1', name: 'read_file', text: 'ok', isError: false }] },
    ];
    const body = JSON.stringify(target.body({ ...request(target.model), messages }));
    expect(body).toContain(target.name.startsWith('deepseek/') ? 'a thought' : signed(target.name));
  });

  it('keeps everything that was said, shown or answered', () => {
    const dice = createDice(11);
    for (let count = 0; count < HISTORIES_EACH; count += 1) {
      const messages = numbered(count % 2 === 0 ? sessionHistory(dice, writers) : wildHistory(dice));
      const json = JSON.stringify(target.body(callOf(target, messages, dice)));
      for (const mark of marksOf(messages)) expect(json).toContain(mark);
    }
  });

  it('keeps its beginning byte for byte while it grows', () => {
    const dice = createDice(13);
    for (let count = 0; count < HISTORIES_EACH; count += 1) {
      const messages = sessionHistory(dice, writers);
      const ends = messages.flatMap((message, index) =>
        message.role === 'user' && textOf(message).trim() !== '' ? [index + 1] : [],
      );
      const whole = itemsOf(target.body({ ...request(target.model), messages, maxOutputTokens: 8192 }));
      for (const end of ends.slice(0, -1)) {
        const part = messages.slice(0, end);
        const body = itemsOf(target.body({ ...request(target.model), messages: part, maxOutputTokens: 8192 }));
        // The user's next text may extend the last message. Everything before it stays the same.
        expect(whole.slice(0, body.length - 1)).toEqual(body.slice(0, -1));
      }
    }
  });
});

/** Gives every text its own number, so that it can be found again. */
function numbered(messages: readonly Message[]): Message[] {
  let next = 0;
  return messages.map((message) => ({
    role: message.role,
    parts: message.parts.map((part) => {
      if (part.type !== 'text' && part.type !== 'tool-result') return part;
      next += 1;
      return { ...part, text: `${part.text}#${next}#` };
    }),
  }));
}

function marksOf(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) =>
      part.type === 'text' || part.type === 'tool-result' ? [/#\d+#$/.exec(part.text)?.[0] ?? '?'] : [],
    ),
  );
}

/** The messages of a request in any wire format, without the cache marks that move with the end. */
function itemsOf(body: unknown): readonly unknown[] {
  const plain: unknown = JSON.parse(
    JSON.stringify(body, (key, value: unknown) => (key === 'cache_control' ? undefined : value)),
  );
  if (typeof plain !== 'object' || plain === null) return [];
  const { messages, contents, input } = { messages: null, contents: null, input: null, ...plain };
  const items = messages ?? contents ?? input;
  return Array.isArray(items) ? items : [];
}
