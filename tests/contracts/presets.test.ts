import { describe, expect, it, vi } from 'vitest';
import type { Message } from '../../src/shared/models/model-messages.ts';
import type { ModelInfo } from '../../src/shared/models/model-info.ts';
import type { KnownProvider } from '../../src/shared/models/known-providers.ts';
import { knownProviders } from '../../src/shared/models/known-providers.ts';
import type { ModelRequest, Provider } from '../../src/main/models/providers/define.ts';
import { allProviders, collect, providerDependencies, request } from '../fakes/provider-kit.ts';

interface Sent {
  readonly url: string;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** What a provider with these settings sends for one call. */
async function sentBy(settings: { readonly kind: string }, change: Partial<ModelRequest>): Promise<Sent> {
  const definition = allProviders().get(settings.kind);
  if (definition === undefined) throw new Error(`no provider of the kind ${settings.kind}`);
  const sent: Sent[] = [];
  const door: typeof fetch = async (url, init) => {
    const told = new Request(url, init);
    sent.push({ url: told.url, headers: told.headers, body: JSON.parse(await told.text()) });
    return new Response('{}', { status: 500 });
  };
  const provider = definition.create(providerDependencies({ secret: async () => 'a-key', fetch: door }), {
    id: 'x',
    settings: definition.settings.parse({ models: { m: { reasoning: true, images: true } }, ...settings }),
  });
  await collect(provider.stream({ ...request('m'), seed: 7, ...change }, new AbortController().signal));
  const [only] = sent;
  if (only === undefined) throw new Error('nothing was sent');
  return only;
}

const azure = { kind: 'openai-compatible', preset: 'azure', baseUrl: 'https://mine.openai.azure.com/openai/v1' };
const preset = (name: string) => ({ kind: 'openai-compatible', preset: name });

/** The fields in which Chat Completions services differ, for a call with an effort, a seed and a limit of 64 tokens. */
const chat = { reasoning_effort: 'high', max_tokens: 64, seed: 7, stream_options: { include_usage: true } };
const { seed: _seed, stream_options: _options, ...bare } = chat;
const presets = [
  [
    'openrouter',
    'https://openrouter.ai/api/v1',
    { ...chat, reasoning_effort: undefined, reasoning: { effort: 'high' } },
  ],
  ['groq', 'https://api.groq.com/openai/v1', chat],
  ['deepseek', 'https://api.deepseek.com/v1', { ...chat, thinking: { type: 'enabled' } }],
  ['mistral', 'https://api.mistral.ai/v1', { ...bare, random_seed: 7 }],
  ['xai', 'https://api.x.ai/v1', chat],
  ['together', 'https://api.together.xyz/v1', chat],
  ['fireworks', 'https://api.fireworks.ai/inference/v1', chat],
  ['lm-studio', 'http://127.0.0.1:1234/v1', chat],
  ['vllm', 'http://127.0.0.1:8000/v1', chat],
  ['llama-server', 'http://127.0.0.1:8080/v1', chat],
] as const;

const fields = [
  'reasoning_effort',
  'reasoning',
  'thinking',
  'max_tokens',
  'max_completion_tokens',
  'seed',
  'random_seed',
  'stream_options',
];
const differing = (body: Sent['body']): object =>
  Object.fromEntries(fields.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])));

describe('the presets', () => {
  it.each(presets)('ask %s at its own address, in its own words', async (name, address, expected) => {
    const { url, headers, body } = await sentBy(preset(name), { effort: 'high' });
    expect(url).toBe(`${address}/chat/completions`);
    expect(headers.get('authorization')).toBe('Bearer a-key');
    expect(differing(body)).toEqual(JSON.parse(JSON.stringify(expected)));
  });

  it('ask azure at the address of the settings, with its own header and without a temperature', async () => {
    const { url, headers, body } = await sentBy(azure, { effort: 'high' });
    expect(url).toBe(`${azure.baseUrl}/chat/completions`);
    expect(headers.get('api-key')).toBe('a-key');
    const { max_tokens: max_completion_tokens, ...rest } = chat;
    expect(differing(body)).toEqual({ ...rest, max_completion_tokens });
    expect([body.temperature, body.top_p]).toEqual([undefined, undefined]);
  });
});

describe('a list of models that cannot be fetched', () => {
  const listOf = (name: string, answer: () => Promise<Response>): Promise<readonly ModelInfo[]> => {
    const { kind, preset: named, address } = known[name] ?? { kind: 'none' };
    const definition = allProviders().get(kind);
    if (definition === undefined) throw new Error(`no provider of the kind ${kind}`);
    const settings = definition.settings.parse({
      kind,
      ...(named === undefined ? {} : { preset: named }),
      ...(address === undefined ? {} : { baseUrl: address.toLowerCase() }),
    });
    const dependencies = providerDependencies({ secret: async () => 'a-key', fetch: answer });
    return definition.create(dependencies, { id: name, settings }).list(new AbortController().signal);
  };
  const unreachable = async (): Promise<Response> => {
    throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
  };
  const known: Readonly<Record<string, KnownProvider>> = knownProviders;
  const names = Object.keys(known);
  const own = names.filter((name) => known[name]?.isOwn === true);

  it.each(names.filter((name) => !own.includes(name)))(
    'is replaced by the dated list that comes with Dewpoint, and says why: %s',
    async (name) => {
      const models = await listOf(name, unreachable);
      expect(models.length).toBeGreaterThan(1);
      for (const { capabilities, listedOn, note, contextTokens } of models) {
        expect(listedOn).toMatch(/^2026-\d\d-\d\d$/u);
        expect(note).toContain('ECONNREFUSED');
        expect(capabilities).toMatchObject({ tools: true, images: expect.any(Boolean), cache: expect.any(Boolean) });
        expect(capabilities.reasoning).toEqual(expect.any(Boolean));
        expect(contextTokens).toBeGreaterThanOrEqual(128_000);
      }
    },
  );

  it.each(own)("fails for %s, whose models are its user's own", async (name) => {
    await expect(listOf(name, unreachable)).rejects.toThrow(
      /ECONNREFUSED\. Without its list, only models named in your settings can be used/u,
    );
  });

  it.each([
    ['a page', 200, '<!doctype html><html><title>Sign in</title></html>', 'a web page ("Sign in")'],
    [
      'an error page',
      502,
      '<html><head><title>502 Bad Gateway</title></head></html>',
      'a web page ("502 Bad Gateway")',
    ],
    ['another format', 200, '{"tags": []}', 'not with a list of models'],
  ])('is reported with what came in its place: %s', async (_what, status, body, words) => {
    const [first] = await listOf('groq', async () => new Response(body, { status }));
    expect(first?.note).toContain(words);
    expect(first?.note).not.toContain('<');
  });

  it('is reported with its address when the server finds nothing there', async () => {
    const page = async (): Promise<Response> => new Response('<html><h1>Not Found</h1></html>', { status: 404 });
    await expect(listOf('groq', page)).rejects.toThrow('answered 404 at /openai/v1/models: a web page ("Not Found")');
  });
});

describe('a key of a service that lists its models for everybody', () => {
  const asked: string[] = [];
  const tryKeyOf = (settings: { readonly kind: string }): Provider['tryKey'] => {
    const definition = allProviders().get(settings.kind);
    if (definition === undefined) throw new Error(`no provider of the kind ${settings.kind}`);
    const door: typeof fetch = async (url, init) => {
      const told = new Request(url, init);
      asked.push(`${told.url} ${told.headers.get('authorization')}`);
      return new Response('{"error": "Invalid credentials"}', { status: 401 });
    };
    const dependencies = providerDependencies({ secret: async () => 'a-key', fetch: door });
    return definition.create(dependencies, { id: 'x', settings: definition.settings.parse(settings) }).tryKey;
  };
  const signal = new AbortController().signal;

  it.each([
    ['https://openrouter.ai/api/v1/key', preset('openrouter')],
    ['https://huggingface.co/api/whoami-v2', { kind: 'huggingface' }],
  ])('is tested at %s', async (url, settings) => {
    await expect(tryKeyOf(settings)?.(signal)).rejects.toThrow('answered 401: Invalid credentials');
    expect(asked.at(-1)).toBe(`${url} Bearer a-key`);
  });

  it('is not tested when the settings name another address', () => {
    const gateway = { ...preset('openrouter'), baseUrl: 'https://gateway.example.org/v1' };
    expect(tryKeyOf(gateway)).toBe(undefined);
  });
});

describe('the effort of thinking', () => {
  it.each([
    ['openai', { kind: 'openai' }, 'gpt-5.4', { reasoning: { effort: 'high' } }],
    [
      'anthropic, a model that takes the effort',
      { kind: 'anthropic' },
      'claude-opus-5',
      { output_config: { effort: 'high' } },
    ],
    [
      'anthropic, one that takes tokens',
      { kind: 'anthropic' },
      'claude-haiku-4-5',
      { thinking: { type: 'enabled', budget_tokens: 16_384 } },
    ],
    [
      'gemini, one that takes a level',
      { kind: 'gemini' },
      'gemini-3.5-flash',
      { generationConfig: { thinkingConfig: { thinkingLevel: 'high' } } },
    ],
    [
      'gemini, one that takes tokens',
      { kind: 'gemini' },
      'gemini-2.5-flash',
      { generationConfig: { thinkingConfig: { thinkingBudget: 16_384 } } },
    ],
    ['huggingface', { kind: 'huggingface' }, 'm', { reasoning_effort: 'high' }],
  ] as const)('is sent to %s', async (_name, settings, model, expected) => {
    const { body } = await sentBy(settings, { model, effort: 'high', maxOutputTokens: 40_000 });
    expect(body).toMatchObject(expected);
  });

  it('is not sent when the settings say nothing', async () => {
    for (const kind of ['openai', 'anthropic', 'huggingface']) {
      const { body } = await sentBy({ kind }, { model: 'm' });
      expect([body.reasoning_effort, body.reasoning, body.output_config]).toEqual([undefined, undefined, undefined]);
    }
  });
});

describe('a model that its service calls old', () => {
  // Catches: a package that writes to the terminal itself, three times a message, without the checks that make a text
  // safe to show.
  it('causes no warning on the console', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
    try {
      await sentBy({ kind: 'anthropic' }, { model: 'claude-sonnet-4-5' });
      expect(warn).not.toHaveBeenCalled();
    } finally {
      warn.mockRestore();
    }
  });
});

describe('an image', () => {
  const data = Buffer.from('PNG').toString('base64');
  const messages: readonly Message[] = [
    {
      role: 'user',
      parts: [
        { type: 'text', text: 'What is this?' },
        { type: 'image', mediaType: 'image/png', data },
      ],
    },
  ];

  it.each([
    ['openai', 'openai', { type: 'input_image', image_url: `data:image/png;base64,${data}` }],
    ['anthropic', 'anthropic', { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }],
    ['gemini', 'gemini', { inlineData: { mimeType: 'image/png', data } }],
    ['huggingface', 'huggingface', { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }],
  ])('is sent to %s in its own wire format', async (_name, kind, expected) => {
    const { body } = await sentBy({ kind }, { messages });
    const parts = [body.input, body.messages, body.contents].flatMap(partsIn);
    expect(parts).toContainEqual(expect.objectContaining(expected));
  });
});

/** The parts of all messages, whatever the wire format calls them. */
function partsIn(list: unknown): readonly unknown[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((message: { readonly content?: unknown; readonly parts?: unknown }) =>
    [message.content, message.parts].flatMap((parts) => (Array.isArray(parts) ? parts : [])),
  );
}
