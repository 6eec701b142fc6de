import { describe, expect, it } from 'vitest';
import { createHiddenValues } from '../../../src/main/safety/hidden-values.ts';
import { createSessionFences } from '../../../src/main/safety/session-fences.ts';
import type { FenceAnswer } from '../../../src/main/safety/session-fences.ts';
import type { ModelRequest } from '../../../src/main/models/providers/define.ts';
import { fencesSchema } from '../../../src/shared/safety/fences.ts';
import { createMemorySandbox } from '../../fakes/sandbox/memory-sandbox.ts';
import { endpointCall, openEndpointKit } from '../../fakes/endpoint-kit.ts';
import { itemsOf } from '../../fakes/core-client.ts';
import { loopModel } from '../../fakes/agent-kit.ts';

/** Catches: a field of a request that leaves this machine unchecked. Each row hides the same words in another one. */

const words = 'Project Heron';
const key = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';
const plain: ModelRequest = {
  model: 'model',
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'Say hello.' }] }],
  tools: [],
  output: { type: 'text' },
  prefill: null,
  stop: [],
  temperature: 0.7,
  topP: 1,
  seed: 88_213,
  maxOutputTokens: 100,
  cacheKey: 'a',
};
const tool = { name: 'look', description: '', inputSchema: { type: 'object' } };
const said = (parts: ModelRequest['messages'][number]['parts']): Partial<ModelRequest> => ({
  messages: [...plain.messages, { role: 'assistant', parts }],
});

const places: Readonly<Record<string, (secret: string) => Partial<ModelRequest>>> = {
  'the description of a tool': (secret) => ({ tools: [{ ...tool, description: `About ${secret}` }] }),
  'the name of a tool': (secret) => ({ tools: [{ ...tool, name: secret }] }),
  'a default in a schema': (secret) => ({
    tools: [{ ...tool, inputSchema: { properties: { a: { enum: ['x', { deep: [secret] }] } } } }],
  }),
  'the name of a property': (secret) => ({ tools: [{ ...tool, inputSchema: { properties: { [secret]: {} } } }] }),
  'the form of the answer': (secret) => ({ output: { type: 'json-schema', schema: { title: secret } } }),
  'a choice of answers': (secret) => ({ output: { type: 'choice', options: ['no', secret] } }),
  'a stop word': (secret) => ({ stop: ['\n', secret] }),
  'the beginning of the answer': (secret) => ({ prefill: `So ${secret}` }),
  'a key of a cache': (secret) => ({ cacheKey: secret }),
  'a field that nobody knows yet': (secret) => Object.assign(said([]), { metadata: { user: [secret] } }),
  'arguments beside their written form': (secret) =>
    said([{ type: 'tool-call', id: 'c', name: 'look', input: { a: secret }, raw: '{}' }]),
  'the id of a call': (secret) => said([{ type: 'tool-call', id: secret, name: 'look', input: {} }]),
  'the name of a result': (secret) =>
    said([{ type: 'tool-result', id: 'c', name: secret, text: 'ok', isError: false }]),
  'a state that is carried': (secret) => said([{ type: 'reasoning', text: '', by: 'sky/model', state: secret }]),
  'a picture that is none': (secret) =>
    said([{ type: 'image', mediaType: 'image/png', data: Buffer.from(`the ${secret} of it`).toString('base64') }]),
  'the end of a very long text': (secret) => said([{ type: 'text', text: `${'word '.repeat(900_000)}${secret}` }]),
};

async function check(fences: unknown, request: ModelRequest): Promise<FenceAnswer> {
  const session = createSessionFences({
    settings: () => fencesSchema.parse(fences),
    projectPath: null,
    projectFiles: createMemorySandbox({ files: {} }).files,
    read: async function* () {},
    isSecretFile: () => false,
    hideKnown: (text) => text,
    hidden: createHiddenValues(),
  });
  const info = { ...loopModel, id: 'sky/model', where: 'cloud' } as const;
  return session.check({ info, purpose: 'act', scope: 'turn', request }, new AbortController().signal);
}

describe('a request to a model elsewhere', () => {
  it.each(Object.entries(places))('is stopped by what stays here in %s', async (_place, withSecret) => {
    const fences = { rules: [{ pattern: words, verdict: 'local-only' }], secrets: 'off' };
    const answer = await check(fences, { ...plain, ...withSecret(words) });
    expect(answer).toMatchObject({ type: 'fenced', outcome: 'refused' });
    if (answer.type === 'fenced') expect(JSON.stringify(answer.manifest)).toContain(words.slice(0, 7));
  });

  it.each(Object.entries(places))('is sent without the key in %s', async (_place, withSecret) => {
    const answer = await check({}, { ...plain, ...withSecret(key) });
    expect(answer).toMatchObject({ type: 'fenced', outcome: 'redacted' });
    if (answer.type !== 'fenced') return;
    const sent = JSON.stringify(answer.request);
    expect(sent).not.toContain(key);
    expect(sent).not.toContain(Buffer.from(`the ${key} of it`).toString('base64'));
    expect(answer.text).toMatch(/^1 value hidden; sent: \d+ parts?, [\d.]+ k?M?B to sky\/model/u);
  });

  it('is sent unchanged when a fence matches only its settings, such as a temperature', async () => {
    const fences = { rules: [{ pattern: String.raw`\b(?:88213|0\.7|100)\b`, verdict: 'local-only' }] };
    expect(await check(fences, { ...plain, tools: [tool], stop: ['\n'] })).toEqual({ type: 'free' });
  });

  it('leaves out a password known only by its field name, and a fenced number', async () => {
    const input = { user: 'app', password: 'hunter2-long-enough', card: 4_111_111_111_111_111 };
    const fences = { rules: [{ pattern: String.raw`4111\d{12}`, verdict: 'redact' }] };
    const part = { type: 'tool-call', id: 'c', name: 'login', input } as const;
    const answer = await check(fences, { ...plain, ...said([part]) });
    expect(answer).toMatchObject({ type: 'fenced', outcome: 'redacted' });
    if (answer.type !== 'fenced') return;
    expect(answer.request.messages[1]?.parts).toEqual([
      { ...part, input: { user: 'app', password: '[fenced]', card: '[fenced]' } },
    ]);
    expect(answer.text).toContain('2 values hidden; ');
  });

  const other = `ghp_${'Z9y8X7w6V5u4T3s2R1q0'.repeat(2).slice(0, 36)}`;
  const both = `${key} ${other}`;
  const encoded = Buffer.from(`the ${both} of it`).toString('base64');
  const counts: Readonly<Record<string, readonly [parts: ModelRequest['messages'][number]['parts'], count: string]>> = {
    'in one text': [[{ type: 'text', text: both }], '2 values'],
    'twice the same': [[{ type: 'text', text: `${key}, ${key}` }], '2 values'],
    'beside placeholders of before': [
      [{ type: 'text', text: `[redacted:x] ${both} [fenced: a.txt] ${'[redacted:github-token]'}` }],
      '2 values',
    ],
    'in an encoded part': [[{ type: 'text', text: `see ${encoded} there` }], '2 values'],
    'in an encoded part and beside it': [[{ type: 'text', text: `${key} see ${encoded} there` }], '3 values'],
    'in two parts': [
      [
        { type: 'text', text: key },
        { type: 'text', text: other },
      ],
      '2 values',
    ],
    'in a picture that is none': [
      [{ type: 'image', mediaType: 'image/png', data: Buffer.from(both).toString('base64') }],
      '2 values',
    ],
    'by the names beside them': [
      [
        {
          type: 'tool-call',
          id: 'c',
          name: 'x',
          input: { a: { password: 'hunter2-long-enough' }, b: [{ api_key: 'q8Zk1mN4pLw7' }] },
        },
      ],
      '2 values',
    ],
    'as one': [[{ type: 'text', text: key }], '1 value'],
  };
  it.each(Object.entries(counts))('says how many values it lost %s', async (_where, [parts, count]) => {
    const answer = await check({}, { ...plain, ...said(parts) });
    expect(answer).toMatchObject({ type: 'fenced', outcome: 'redacted' });
    if (answer.type !== 'fenced') return;
    expect(answer.text).toContain(`${count} hidden; sent: `);
    expect(JSON.stringify(answer.request)).not.toMatch(new RegExp(`${key}|${other}|hunter2|q8Zk1|${encoded}`, 'u'));
  });

  it('keeps what stands after an encoded part that can be read in several ways', async () => {
    const hex = Buffer.from(`the ${key} of it`).toString('hex');
    const text = `${encoded} first ${hex} second`;
    const answer = await check({}, { ...plain, ...said([{ type: 'text', text }]) });
    expect(answer.type === 'fenced' && answer.request.messages[1]?.parts).toEqual([
      { type: 'text', text: '[fenced] first [fenced] second' },
    ]);
  });
});

describe('a program that asks through the endpoint', () => {
  it('sends nothing fenced in the tools, the answer form or the stop words of its call', async () => {
    const kit = await openEndpointKit();
    const cloud = await kit.key('agent', true);
    await kit.core.client.settings.set({
      key: 'fences.rules',
      value: [{ pattern: words, verdict: 'local-only' }],
    });
    const call = endpointCall('sky/script', 'Say hello.');
    const schema = { type: 'object', properties: { a: { description: words } } };
    for (const more of [
      { tools: [{ ...tool, description: words }] },
      { tools: [{ ...tool, inputSchema: schema }] },
      { schema },
      { stop: [words] },
    ]) {
      const pushes = await itemsOf(kit.core.client.endpoint.answer({ key: cloud, call: { ...call, ...more } }));
      expect(pushes, JSON.stringify(more)).toMatchObject([{ type: 'failed', code: 'fenced' }]);
    }
    await itemsOf(
      kit.core.client.endpoint.answer({ key: cloud, call: { ...call, tools: [{ ...tool, description: key }] } }),
    );
    expect(kit.asked).toHaveLength(1);
    expect(JSON.stringify(kit.asked[0]?.request)).not.toContain(key);
    await kit.close();
  });
});
