import { readFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { itemsOf } from '../../../fakes/core-client.ts';
import type { EndpointKit } from '../../../fakes/endpoint-kit.ts';
import { endless, openEndpointKit, saying } from '../../../fakes/endpoint-kit.ts';

/**
 * Catches: an endpoint that independently written clients cannot use, that accepts callers without a key, or that keeps
 * working after its client has gone.
 */
let kit: EndpointKit;
let key: string;

beforeEach(async () => {
  kit = await openEndpointKit();
  key = await kit.key('my-editor');
});
afterEach(() => kit.close());

const model = 'script/script';
const hello = [{ role: 'user' as const, content: 'Say hello.' }];
const weather = {
  name: 'weather',
  description: 'Says the weather of a place.',
  parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
};
const callsWeather = saying('Let me look. ', { name: 'weather', input: { place: 'Bern' } });

describe('the body of a call', () => {
  const post = (auth: string, body: string): Promise<Response> =>
    fetch(`${kit.url}/v1/chat/completions`, { method: 'POST', headers: { authorization: `Bearer ${auth}` }, body });

  /** Catches: work for a program that nobody has let in. */
  it('is not read without a key', async () => {
    const parse = vi.spyOn(JSON, 'parse');
    try {
      expect((await post('wrong', '{"marked body": 1}')).status).toBe(401);
      expect(parse.mock.calls.filter(([text]) => text.includes('marked body'))).toEqual([]);
      expect((await post('wrong', 'no json')).status).toBe(401);
    } finally {
      parse.mockRestore();
    }
  });

  it('is refused unread when it is nested too deeply', async () => {
    const deep = `${'{"a":['.repeat(500_000)}${']}'.repeat(500_000)}`;
    const answer = await post(key, `{"model":"script/script","messages":${deep}}`);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('nested deeper');
    const quoted = JSON.stringify({ model, messages: [{ role: 'user', content: `${'['.repeat(500)}\\" {` }] });
    expect((await post(key, quoted)).status).toBe(200);
  });
});

describe('a tool without parameters', () => {
  /** Catches: a program that leaves them out, as the formats allow, and gets no answer at all. */
  it.each([
    ['chat/completions', { messages: hello, tools: [{ type: 'function', function: { name: 'now' } }] }],
    ['responses', { input: 'Say hello.', tools: [{ type: 'function', name: 'now' }] }],
    ['messages', { messages: hello, max_tokens: 50, tools: [{ name: 'now' }] }],
  ])('is taken by %s', async (path, asked) => {
    const answer = await fetch(`${kit.url}/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model, ...asked }),
    });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('"usage"')]);
  });
});

describe('Chat Completions, by the openai package', () => {
  it('returns a whole answer with its usage', async () => {
    const answer = await kit.openai(key).chat.completions.create({ model, messages: hello, temperature: 0.2 });
    expect(answer.choices[0]).toMatchObject({ message: { content: 'Hello there.' }, finish_reason: 'stop' });
    expect(answer.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 });
    expect(kit.asked[0]?.request).toMatchObject({ model: 'script', temperature: 0.2 });
  });

  it('streams each piece at once', async () => {
    kit.answerWith(saying('Hel', 'lo ', 'there.'));
    const pieces: string[] = [];
    const options = { model, messages: hello, stream: true, stream_options: { include_usage: true } } as const;
    for await (const chunk of await kit.openai(key).chat.completions.create(options)) {
      pieces.push(chunk.choices[0]?.delta.content ?? (chunk.usage ? `${chunk.usage.total_tokens} tokens` : ''));
    }
    expect(pieces).toEqual(['', 'Hel', 'lo ', 'there.', '', '15 tokens']);
  });

  it('streams a round of tools', async () => {
    kit.answerWith(callsWeather);
    const tools = [{ type: 'function' as const, function: weather }];
    const client = kit.openai(key);
    const first = await client.chat.completions.stream({ model, messages: hello, tools }).finalMessage();
    const [made] = first.tool_calls ?? [];
    expect(made).toMatchObject({ function: { name: 'weather', arguments: '{"place":"Bern"}' } });
    kit.answerWith(saying('It rains in Bern.'));
    const result = { role: 'tool' as const, tool_call_id: made?.id ?? '', content: 'rain' };
    const second = await client.chat.completions.create({ model, tools, messages: [...hello, first, result] });
    expect(second.choices[0]?.message.content).toBe('It rains in Bern.');
    expect(kit.asked[1]?.request.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', parts: [{ text: 'Let me look. ' }, { type: 'tool-call', input: { place: 'Bern' } }] },
      { role: 'tool', parts: [{ type: 'tool-result', name: 'weather', text: 'rain' }] },
    ]);
  });

  it.each([
    ['an unknown model', { model: 'script/none' }, 404, 'model_not_found'],
    ['what is not done', { model, n: 3 }, 400, 'bad_request'],
    ['a schema that the model cannot be held to', { model, response_format: schemaFormat() }, 400, 'bad_request'],
    ['a picture that the model does not see', { model, messages: picture() }, 400, 'bad_request'],
    [
      'a tool that has to be called',
      { model, tools: [{ type: 'function', function: weather }], tool_choice: 'required' },
      400,
      'bad_request',
    ],
    ['a model of the cloud without leave', { model: 'sky/script' }, 403, 'not_allowed'],
    ['the cloud through the router without leave', { model: 'dewpoint/hybrid' }, 403, 'not_allowed'],
  ])('refuses %s in the format of its errors, and asks no model', async (_what, body, status, code) => {
    const asked = kit.openai(key).post('/chat/completions', { body: { messages: hello, ...body } });
    await expect(asked).rejects.toMatchObject({ status, code });
    expect(kit.asked).toEqual([]);
  });

  it('says that a model that answers has no embeddings', async () => {
    const asked = kit.openai(key).embeddings.create({ model, input: 'a' });
    await expect(asked).rejects.toThrow('400 Scripted answers is a model that answers');
  });

  it('lists the models that its client may use', async () => {
    const ids = async (secret: string): Promise<readonly string[]> =>
      (await itemsOf(Promise.resolve(kit.openai(secret).models.list()))).map(({ id }) => id);
    expect(await ids(key)).toEqual(['dewpoint/local', 'script/script']);
    const all = ['dewpoint/local', 'dewpoint/hybrid', 'script/script', 'sky/script'];
    expect(await ids(await kit.key('other', true))).toEqual(all);
  });
});

describe('Responses, by the openai package', () => {
  it('returns a whole answer', async () => {
    const options = { model, instructions: 'Be short.', input: 'Say hello.' };
    const answer = await kit.openai(key).responses.create(options);
    expect(answer).toMatchObject({ status: 'completed', output_text: 'Hello there.', usage: { total_tokens: 15 } });
    expect(kit.asked[0]?.request.messages).toMatchObject([{ role: 'system' }, { role: 'user' }]);
  });

  it('streams a round of tools', async () => {
    kit.answerWith(callsWeather);
    const client = kit.openai(key);
    const tools = [{ type: 'function' as const, strict: false, ...weather }];
    const first = await client.responses.stream({ model, input: 'The weather?', tools }).finalResponse();
    const made = first.output.find(({ type }) => type === 'function_call');
    expect(first.output_text).toBe('Let me look. ');
    expect(made).toMatchObject({ name: 'weather', arguments: '{"place":"Bern"}' });
    kit.answerWith(saying('It rains.'));
    const again = first.output.flatMap((item) =>
      item.type === 'message' || item.type === 'function_call' ? [item] : [],
    );
    const output = { type: 'function_call_output' as const, call_id: 'call_1', output: 'rain' };
    const input = [{ role: 'user' as const, content: 'The weather?' }, ...again, output];
    const second = await client.responses.stream({ model, tools, input }).finalResponse();
    expect(second.output_text).toBe('It rains.');
    expect(kit.asked[1]?.request.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  });

  it('refuses to continue an answer that was not kept', async () => {
    const asked = kit.openai(key).responses.create({ model, input: 'And?', previous_response_id: 'resp_1' });
    await expect(asked).rejects.toMatchObject({ status: 400 });
  });
});

describe('Messages, by the @anthropic-ai/sdk package', () => {
  it('counts the tokens of a prompt without a call', async () => {
    const asked = { model, system: 'Be short.', messages: hello };
    expect(await kit.anthropic(key).messages.countTokens(asked)).toEqual({ input_tokens: 10 });
    const tools = [{ name: 'weather', description: 'Says it.', input_schema: { type: 'object' as const } }];
    await expect(kit.anthropic(key).messages.countTokens({ ...asked, model: 'script/none' })).rejects.toMatchObject({
      status: 404,
    });
    await expect(kit.anthropic(key).messages.countTokens({ ...asked, model: 'sky/script' })).rejects.toMatchObject({
      status: 403,
    });
    await expect(kit.anthropic('dew-wrong').messages.countTokens(asked)).rejects.toMatchObject({ status: 401 });
    await expect(
      kit.anthropic(key).messages.countTokens({ ...asked, tools, tool_choice: { type: 'any' } }),
    ).rejects.toMatchObject({ status: 400 });
    expect(kit.asked).toEqual([]);
    expect((await kit.core.client.endpoint.clients())[0]?.lastUsedAt).toBeNull();
  });

  it('returns a whole answer', async () => {
    const options = { model, max_tokens: 100, system: 'Be short.', messages: hello };
    const answer = await kit.anthropic(key).messages.create(options);
    expect(answer).toMatchObject({
      content: [{ type: 'text', text: 'Hello there.' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 10, output_tokens: 5 },
    });
    expect(kit.asked[0]?.request.maxOutputTokens).toBe(100);
  });

  it('streams a round of tools', async () => {
    kit.answerWith(callsWeather);
    const client = kit.anthropic(key);
    const tools = [{ name: 'weather', input_schema: { type: 'object' as const } }];
    const first = await client.messages.stream({ model, max_tokens: 100, messages: hello, tools }).finalMessage();
    expect(first.stop_reason).toBe('tool_use');
    expect(first.content).toMatchObject([
      { type: 'text', text: 'Let me look. ' },
      { type: 'tool_use', name: 'weather', input: { place: 'Bern' } },
    ]);
    kit.answerWith(saying('It rains.'));
    const result = { type: 'tool_result' as const, tool_use_id: 'call_1', content: 'rain' };
    const messages = [
      ...hello,
      { role: 'assistant' as const, content: first.content },
      { role: 'user' as const, content: [result] },
    ];
    const second = await client.messages.stream({ model, max_tokens: 100, messages, tools }).finalText();
    expect(second).toBe('It rains.');
    expect(kit.asked[1]?.request.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  });

  it('says what is wrong in the format of its errors', async () => {
    const ask = (secret: string, name: string) =>
      kit.anthropic(secret).messages.create({ model: name, max_tokens: 9, messages: hello });
    await expect(ask('wrong', model)).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
    await expect(ask(key, 'script/none')).rejects.toBeInstanceOf(Anthropic.NotFoundError);
    await expect(ask(key, 'sky/script')).rejects.toBeInstanceOf(Anthropic.PermissionDeniedError);
  });
});

describe('a call whose client is gone', () => {
  it('is stopped at the model, streamed or not', async () => {
    kit.answerWith(endless);
    const client = kit.openai(key);
    const stream = await client.chat.completions.create({ model, messages: hello, stream: true });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content === 'So') break;
    await expect.poll(() => kit.running()).toBe(0);
    const stop = new AbortController();
    const whole = client.chat.completions.create({ model, messages: hello }, { signal: stop.signal });
    await expect.poll(() => kit.running()).toBe(1);
    stop.abort();
    await expect(whole).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
    await expect.poll(() => kit.running()).toBe(0);
    const { total } = await kit.core.client.costs({ by: 'session' });
    expect(total).toMatchObject({ calls: 2, failedCalls: 0, cancelledCalls: 2 });
  });

  it('is stopped when its key is removed', async () => {
    kit.answerWith(endless);
    const asked = kit.openai(key).chat.completions.create({ model, messages: hello });
    asked.catch(() => undefined);
    await expect.poll(() => kit.running()).toBe(1);
    await kit.core.client.endpoint.removeClient({ name: 'my-editor' });
    await expect(asked).rejects.toMatchObject({ status: 500 });
    expect(kit.running()).toBe(0);
    await expect(kit.openai(key).models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  });

  it('ends with words about the failure when a model fails in the middle', async () => {
    kit.answerWith(async function* () {
      yield { type: 'text-delta', text: 'So' };
      yield { ...end(), error: { code: 'engine-lost', message: 'The engine ended.', retryable: true } };
    });
    const stream = await kit.openai(key).chat.completions.create({ model, messages: hello, stream: true });
    await expect(itemsOf(Promise.resolve(stream))).rejects.toThrow('The engine ended.');
    // The call is not repeated, because the client already has the first words.
    expect(kit.asked).toHaveLength(1);
  });
});

describe('the API server', () => {
  it('refuses web pages, foreign host names, other methods and wrong keys', async () => {
    const port = new URL(kit.url).port;
    const bearer = { authorization: `Bearer ${key}` };
    const answers = await Promise.all([
      send({ headers: { ...bearer, host: `evil.example:${port}` } }),
      send({ headers: { ...bearer, origin: 'https://evil.example' } }),
      send({ headers: { ...bearer, origin: 'null' } }),
      send({ headers: bearer, method: 'OPTIONS' }),
      send({ headers: {} }),
      send({ headers: { authorization: 'Bearer dew-wrong' } }),
      send({ headers: bearer, body: 'no json' }),
      send({ headers: bearer, path: '/v1/completions' }),
      send({ headers: bearer }),
    ]);
    expect(answers).toEqual([403, 403, 403, 405, 401, 401, 400, 404, 200]);
    expect(kit.asked).toHaveLength(1);
  });

  it('refuses a body that is too large, whether its size is said or not', async () => {
    const bearer = { authorization: `Bearer ${key}` };
    expect(await send({ headers: { ...bearer, 'content-length': String(33 * 1024 * 1024) } })).toBe(413);
    const content = 'x'.repeat(33 * 1024 * 1024);
    const body = JSON.stringify({ model, messages: [{ role: 'user', content }] });
    expect(await send({ headers: { ...bearer, 'transfer-encoding': 'chunked' }, body })).toBe(413);
    expect(kit.asked).toEqual([]);
  });

  it('shows a key once, and does not keep it', async () => {
    const { endpoint } = kit.core.client;
    expect(JSON.stringify(await endpoint.clients())).not.toContain(key);
    expect(await readFile(`${kit.home}/endpoint-keys.json`, 'utf8')).not.toContain(key);
    await expect(endpoint.addClient({ name: 'my-editor' })).rejects.toThrow('There is a key for my-editor already.');
  });
});

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly path?: string;
  readonly body?: string;
}

/** Returns the status. A server that does not read the body may close the connection afterwards. */
function send({ headers, method = 'POST', path = '/v1/chat/completions', body }: Sent): Promise<number> {
  const port = new URL(kit.url).port;
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      resolve(response.statusCode ?? 0);
      response.resume();
    });
    sent.on('error', reject);
    sent.end(body ?? JSON.stringify({ model, messages: hello }));
  });
}

function schemaFormat(): object {
  return { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } };
}

function picture(): readonly object[] {
  const url = 'data:image/png;base64,AAAA';
  return [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }];
}

function end() {
  const usage = { freshInput: 10, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0, estimated: false };
  const timings = { queuedMs: 0, prefillMs: 1, decodeMs: 1, totalMs: 2 };
  return { type: 'ended', stopReason: 'error', usage, evaluatedTokens: 10, timings } as const;
}
