import { describe, expect, it } from 'vitest';
import type { Message } from '@shared/models/model-messages.ts';
import { messagesCodec } from '../../../../../src/main/models/wire/messages-codec.ts';
import { chatCodec } from '../../../../../src/main/models/wire/chat-codec.ts';
import { chatPreset } from '../../../../../src/main/models/providers/chat-completions/chat-presets.ts';
import type { ModelRequest } from '../../../../../src/main/models/providers/define.ts';
import { geminiCodec } from '../../../../../src/main/models/wire/gemini-codec.ts';
import { responsesCodec } from '../../../../../src/main/models/wire/responses-codec.ts';
import { request } from '../../../../fakes/provider-kit.ts';
import { readAnthropic } from '../../../../fakes/wire/anthropic.ts';

const STEPS = 20;
const text = (length: number, seed: string): string => seed.repeat(Math.ceil(length / seed.length)).slice(0, length);

/** A session as the loop builds it: a system text, a task, and in each step a few calls with their results. */
function steps(): readonly ModelRequest[] {
  const messages: Message[] = [
    { role: 'system', parts: [{ type: 'text', text: text(6000, 'rules ') }] },
    { role: 'user', parts: [{ type: 'text', text: text(2000, 'task ') }] },
  ];
  const requests: ModelRequest[] = [];
  for (let step = 0; step < STEPS; step += 1) {
    requests.push({
      ...request('m'),
      messages: [...messages],
      maxOutputTokens: 8192,
      tools: [{ name: 'read_file', description: text(3000, 'words '), inputSchema: { type: 'object' } }],
    });
    // Every fifth step has many calls at once: more blocks than a service looks back over.
    const calls = step % 5 === 4 ? 30 : 2;
    const ids = Array.from({ length: calls }, (_unused, place) => `c${step}x${place}`);
    messages.push({
      role: 'assistant',
      parts: [
        { type: 'text', text: `step ${step}` },
        ...ids.map((id) => ({ type: 'tool-call' as const, id, name: 'read_file', input: { path: id } })),
      ],
    });
    for (const id of ids) {
      const shown = text(1500, `${id} `);
      messages.push({
        role: 'tool',
        parts: [{ type: 'tool-result', id, name: 'read_file', text: shown, isError: false }],
      });
    }
  }
  return requests;
}

/**
 * The part of each request that a service can read from its cache: everything that the request before already had, from
 * the start. `read`: what it does read by its rules. Both in characters.
 */
interface Shares {
  readonly read: number;
  readonly possible: number;
}

/** Automatic caches: the longest common prefix. */
function automatic(bodies: readonly string[]): Shares {
  let read = 0;
  let possible = 0;
  for (const [index, body] of bodies.entries()) {
    const before = bodies[index - 1];
    if (before === undefined) continue;
    let same = 0;
    while (same < before.length && before[same] === body[same]) same += 1;
    read += same;
    possible += before.length;
  }
  return { read, possible };
}

/** Anthropic's rules: the cache is written at each mark, and read at a mark or at one of the 20 blocks before it. */
function marked(bodies: readonly unknown[]): Shares {
  const written = new Set<string>();
  let read = 0;
  let possible = 0;
  let before = 0;
  for (const body of bodies) {
    const { tools, system, messages } = readAnthropic(body);
    const blocks: object[] = [...(tools ?? []), ...(system ?? [])];
    for (const message of messages) blocks.push(...message.content);
    const prefixes: string[] = [];
    let prefix = '';
    for (const block of blocks) {
      prefix += JSON.stringify({ ...block, cache_control: undefined });
      prefixes.push(prefix);
    }
    const marks = blocks.flatMap((block, index) =>
      'cache_control' in block && block.cache_control !== undefined ? [index] : [],
    );
    const hits = marks.flatMap((mark) =>
      Array.from({ length: 20 }, (_unused, back) => prefixes[mark - back] ?? '').filter((one) => written.has(one)),
    );
    read += Math.max(0, ...hits.map((one) => one.length));
    possible += before;
    before = prefix.length;
    for (const mark of marks) written.add(prefixes[mark] ?? '');
  }
  return { read, possible };
}

const target = { by: 'x/m', images: true, reasoning: true };

/** The texts without the closing JSON, which the model does not read. */
const order = (...pieces: unknown[]): string =>
  pieces
    .map((piece) => JSON.stringify(piece) ?? '')
    .join('')
    .replace(/\]$/, '');

describe('the cache over a session of 20 steps', () => {
  it.each([
    [
      'openai',
      () =>
        automatic(
          steps().map((call) => {
            const { tools, instructions, input } = responsesCodec.encodeRequest(call, target);
            return order(tools, instructions, input);
          }),
        ),
    ],
    [
      'chat',
      () =>
        automatic(
          steps().map((call) => {
            const body = chatCodec.encodeRequest(call, { ...target, service: chatPreset(undefined) });
            return order(body.tools, body.messages);
          }),
        ),
    ],
    [
      'gemini',
      () =>
        automatic(
          steps().map((call) => {
            const body = geminiCodec.encodeRequest(call, target);
            return order(body.tools, body.systemInstruction, body.contents);
          }),
        ),
    ],
    [
      'anthropic',
      () => marked(steps().map((call) => JSON.parse(JSON.stringify(messagesCodec.encodeRequest(call, target))))),
    ],
  ])('reaches at least 90 %% of what is possible: %s', (_name, measure) => {
    const { read, possible } = measure();
    expect(read / possible).toBeGreaterThan(0.9);
  });
});
