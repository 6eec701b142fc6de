import { describe, expect, it } from 'vitest';
import type { ApiModelsOptions } from '../../../../../src/main/models/providers/api/api-models.ts';
import { createApiModels, ListRefusedError } from '../../../../../src/main/models/providers/api/api-models.ts';
import { watchReachability } from '../../../../../src/main/models/providers/api/reachability.ts';
import { readChatModels } from '../../../../../src/main/models/providers/chat-completions/chat-models.ts';

const signal = new AbortController().signal;
const book = (overrides: Partial<ApiModelsOptions> = {}): ReturnType<typeof createApiModels> =>
  createApiModels({
    id: 'x',
    service: 'anthropic',
    where: 'cloud',
    models: {},
    effort: undefined,
    now: () => 0,
    fetchList: async () => [{ name: 'claude-new-9', contextTokens: 5 }],
    usual: () => ({ contextTokens: 1000, tools: true, images: false, reasoning: true, cache: true }),
    ...overrides,
  });
const offline = async (): Promise<never> => {
  throw new Error('fetch failed');
};
const refused = async (): Promise<never> => {
  throw new ListRefusedError('401: no key');
};

describe("the list of a service's models", () => {
  // Catches: a server in the network whose list of 300,000 names held the core for minutes.
  it('is read as far as a person could look through it', async () => {
    const fetchList = async () => Array.from({ length: 6_000 }, (_, at) => ({ name: `m${at}` }));
    expect(await book({ fetchList, service: null }).list(signal)).toHaveLength(5_000);
  });

  it('is fetched, and again only after a while', async () => {
    let asked = 0;
    let now = 0;
    const models = book({
      now: () => now,
      fetchList: async () => {
        asked += 1;
        return [{ name: `m${asked}` }];
      },
    });
    const names = async (): Promise<readonly string[]> => (await models.list(signal)).map((model) => model.name);
    expect([await names(), await names()]).toEqual([['m1'], ['m1']]);
    now = 11 * 60_000;
    expect(await names()).toEqual(['m2']);
  });

  it('is fetched earlier after a failed call, and kept while nobody answers', async () => {
    let isAway = false;
    let asked = 0;
    const reach = watchReachability(async () => {
      asked += 1;
      if (isAway) throw new TypeError('fetch failed');
      return new Response('[]');
    });
    const fetchList = async (): Promise<readonly { readonly name: string }[]> => {
      await reach.fetch('http://service.test/models');
      return [{ name: 'm' }];
    };
    const models = book({ reach, fetchList });
    const names = async (): Promise<readonly string[]> => (await models.list(signal)).map((model) => model.name);
    expect(reach.now()).toBeNull();
    expect([await names(), await names(), asked, reach.now()]).toEqual([['m'], ['m'], 1, 'there']);
    isAway = true;
    await expect(reach.fetch('http://service.test/chat', { signal: AbortSignal.abort() })).rejects.toThrow();
    expect(reach.now()).toBe('there');
    await expect(reach.fetch('http://service.test/chat')).rejects.toThrow();
    expect([reach.now(), await names(), asked]).toEqual(['away', ['m'], 4]);
    isAway = false;
    expect([await names(), reach.now()]).toEqual([['m'], 'there']);
  });

  it('falls back on the built-in list with its date when nobody answers', async () => {
    const listed = await book({ fetchList: offline }).list(signal);
    expect(listed.find((model) => model.name === 'claude-opus-5')).toMatchObject({
      contextTokens: 1_000_000,
      listedOn: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
      capabilities: { tools: true, images: true, reasoning: true, cache: true },
    });
  });

  it('shows a refusal beside the built-in list, and still finds a named model', async () => {
    const models = book({ fetchList: refused });
    await expect(models.list(signal)).rejects.toThrow('no key');
    expect(await models.resolve('claude-opus-5', signal)).toMatchObject({ id: 'x/claude-opus-5' });
  });

  // Bug: a model that was named by hand was refused, and the reason said that the service lists no models.
  it('that comes too late blocks no named model, and says so', async () => {
    let isSlow = true;
    const fetchList = (stop: AbortSignal): Promise<readonly { readonly name: string }[]> =>
      isSlow
        ? new Promise((_, reject) => stop.addEventListener('abort', () => reject(stop.reason)))
        : Promise.resolve([{ name: 'listed' }]);
    const own = book({ service: null, fetchList, listMs: 5 });
    await expect(own.list(signal)).rejects.toThrow(
      'The list of models took too long. Models that you name can still be used.',
    );
    expect(await own.resolve('mine', signal)).toMatchObject({ id: 'x/mine' });
    const known = book({ fetchList, listMs: 5 });
    expect(await known.resolve('claude-of-tomorrow', signal)).toMatchObject({ id: 'x/claude-of-tomorrow' });
    isSlow = false;
    expect([await own.resolve('mine', signal), await own.resolve('listed', signal)]).toMatchObject([
      null,
      { id: 'x/listed' },
    ]);
  });

  it('that cannot be fetched names no model of an unknown server', async () => {
    const own = book({ service: null, fetchList: offline });
    await expect(own.resolve('mine', signal)).rejects.toThrow(
      'fetch failed. Without its list, only models named in your settings can be used.',
    );
  });

  it('finds a dated name by its model, but no unknown name', async () => {
    const models = book({ fetchList: async () => [{ name: 'Qwen/Q', contextTokens: 7 }], service: null });
    await models.list(signal);
    expect(await models.resolve('Qwen/Q:fastest', signal)).toMatchObject({ name: 'Qwen/Q:fastest', contextTokens: 7 });
    expect(await book({ fetchList: offline }).resolve('claude-opus-4-5-20251101', signal)).toMatchObject({
      contextTokens: 200_000,
    });
    expect(await models.resolve('nobody', signal)).toBe(null);
  });

  it('prefers the settings, and gives an effort only to a model that thinks', async () => {
    const models = book({
      effort: 'high',
      models: { 'claude-new-9': { context: 42, images: true, effort: 'low' }, plain: { reasoning: false } },
    });
    const [first, second] = await models.list(signal);
    expect(first).toMatchObject({ contextTokens: 42, effort: 'low', capabilities: { images: true } });
    expect(second?.effort).toBe(undefined);
  });

  it('treats a model with a set effort as one that thinks', async () => {
    const usual = () => ({ contextTokens: 1000, tools: true, images: false, reasoning: false, cache: true });
    const models = book({ usual, effort: 'low', models: { deep: { effort: 'high' } } });
    expect(models.find('deep')).toMatchObject({ effort: 'high', capabilities: { reasoning: true } });
    expect(models.find('other').effort).toBe(undefined);
  });
});

describe('the model list of a service with Chat Completions', () => {
  it('is read in the form of each service', () => {
    const openrouter = {
      id: 'a/b',
      name: 'B',
      context_length: 100,
      pricing: { prompt: '0.000003', completion: '0.000015' },
      supported_parameters: ['tools', 'reasoning'],
      architecture: { input_modalities: ['text', 'image'] },
    };
    const huggingface = {
      id: 'c/d',
      providers: [
        { context_length: 50, supports_tools: true },
        { context_length: 40, supports_tools: false },
      ],
    };
    const mistral = {
      id: 'devstral',
      max_context_length: 30,
      capabilities: { completion_chat: true, function_calling: true, vision: false },
    };
    const groq = { id: 'llama', context_window: 20, active: true };
    const vllm = { id: 'local', max_model_len: 10 };
    const others = [{ id: 'whisper-large' }, { id: 'text-embedding-3-small' }, { id: 'gone', active: false }, 'junk'];
    const listed = readChatModels({ data: [openrouter, huggingface, mistral, groq, vllm, ...others] });
    expect(listed).toMatchObject([
      {
        name: 'a/b',
        label: 'B',
        contextTokens: 100,
        tools: true,
        images: true,
        reasoning: true,
        price: { input: 3, output: 15 },
      },
      { name: 'c/d', contextTokens: 40, tools: true },
      { name: 'devstral', contextTokens: 30, tools: true, images: false },
      { name: 'llama', contextTokens: 20 },
      { name: 'local', contextTokens: 10 },
    ]);
  });

  it('may be a bare array, with prices for a million tokens', () => {
    const together = [{ id: 't', type: 'chat', context_length: 9, pricing: { input: 0.2, output: 0.6 } }];
    expect(readChatModels(together)).toMatchObject([{ name: 't', price: { input: 0.2, output: 0.6 } }]);
  });
});
