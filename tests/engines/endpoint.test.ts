import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { success } from '../../src/shared/errors.ts';
import { startApiServer, type ApiServer } from '../../src/main/hosts/api/api-server.ts';
import { createMemorySandbox } from '../fakes/sandbox/memory-sandbox.ts';
import type { ClientCore } from '../fakes/core-client.ts';
import { openClientCore } from '../fakes/core-client.ts';
import type { LlamaEngine } from '../../src/main/models/engine/llama-engine.ts';
import { cacheDir, createTestProvider, startEngine } from './support.ts';

/** Catches: an endpoint whose tools, schemas or streams work only with fake models. */
const model = 'llama-cpp/smollm2-135m-instruct';
let home: string;
let core: ClientCore;
let engine: LlamaEngine;
let server: ApiServer;
let client: OpenAI;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'dewpoint-endpoint-'));
  engine = await startEngine({ abortGraceMs: 30_000 });
  const real = await createTestProvider(engine, { contextTokens: 4096, cacheDir: home });
  core = await openClientCore({
    home,
    cache: cacheDir(),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files: {} })),
    // Uses the engine of the test's own build instead of the program's.
    wrapProvider: () => real,
  });
  const { key } = await core.client.endpoint.addClient({ name: 'engines', mayLeave: false });
  server = await startApiServer(core.client, { port: 0 });
  client = new OpenAI({ apiKey: key, baseURL: `${server.url}/v1`, maxRetries: 0 });
});
afterAll(async () => {
  await server.close();
  await core.dispose();
  await engine.dispose();
  await rm(home, { recursive: true, force: true });
});

it('the endpoint streams words, forces a call and a schema, and answers two clients at once like one', async () => {
  const say = (text: string) => ({
    model,
    temperature: 0,
    max_tokens: 24,
    messages: [{ role: 'user' as const, content: text }],
  });
  const text = async (asked: ReturnType<typeof say>): Promise<string> => {
    let said = '';
    for await (const chunk of await client.chat.completions.create({ ...asked, stream: true }))
      said += chunk.choices[0]?.delta.content ?? '';
    return said;
  };
  const questions = [say('Count from one to nine.'), say('Name three colors.')];
  for (const question of questions) await text(question);
  const alone = [await text(say('Count from one to nine.')), await text(say('Name three colors.'))];
  expect(alone[0]?.length).toBeGreaterThan(5);
  // No call continues another conversation, so the greedy answers stay the same.
  expect(await Promise.all(questions.map(text))).toEqual(alone);

  const parameters = { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] };
  const tools = [{ type: 'function' as const, function: { name: 'weather', parameters } }];
  const called = await client.chat.completions.create({
    ...say('The weather in Bern?'),
    max_tokens: 80,
    tools,
    tool_choice: 'required',
  });
  const [made] = called.choices[0]?.message.tool_calls ?? [];
  expect(JSON.parse(made?.type === 'function' ? made.function.arguments : '{}')).toHaveProperty('place');

  const schema = {
    type: 'object',
    properties: { age: { type: 'integer' } },
    required: ['age'],
    additionalProperties: false,
  };
  const held = await client.chat.completions.create({
    ...say('Ada is 36.'),
    response_format: { type: 'json_schema', json_schema: { name: 'person', schema } },
  });
  expect(JSON.parse(held.choices[0]?.message.content ?? '')).toEqual({ age: expect.any(Number) });
});
