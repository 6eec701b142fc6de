import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Strain } from '@shared/models/machine-strain.ts';
import { llamaServerSchema } from '@shared/settings/settings.ts';
import type { OwnLlamaServer } from '../../../../../src/main/models/engine/llama-server/own-llama-server.ts';
import { createHeaderReader } from '../../../../../src/main/models/memory/gguf/gguf-header-reader.ts';
import { createLoadSteps } from '../../../../../src/main/models/memory/load-steps.ts';
import type { Provider, ProviderError } from '../../../../../src/main/models/providers/define.ts';
import {
  createLlamaServerProvider,
  type LlamaServerParts,
} from '../../../../../src/main/models/providers/llama-server/create-llama-server-provider.ts';
import { ggufFile } from '../../../../fakes/gguf-file.ts';
import { collect, providerDependencies, request } from '../../../../fakes/provider-kit.ts';

/**
 * Catches: a server that is offered for a model that gives no answers, one that never recovers from too little memory,
 * and one that ignores strain.
 */
let dir: string;
let path: string;
const never = new AbortController().signal;
const mebi = 2 ** 20;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dewpoint-llama-server-'));
  path = join(dir, 'm.gguf');
  const keys = Object.entries({
    block_count: 4,
    context_length: 32_768,
    embedding_length: 256,
    feed_forward_length: 512,
    'attention.head_count': 4,
    'attention.head_count_kv': 4,
    vocab_size: 1_000,
  }).map(([key, value]) => [`llama.${key}`, value] as const);
  const tensors = ['token_embd', 'output'].map((name) => ({ name: `${name}.weight`, values: 256_000, rows: 1_000 }));
  await writeFile(path, ggufFile({ keys: [['general.architecture', 'llama'], ...keys], tensors }));
});
afterEach(async () => rm(dir, { recursive: true, force: true }));

/** Loads nothing, records the arguments of each load, and has no memory for more than `most` tokens. */
function fakeServer(most: number, cards: readonly number[] = []): OwnLlamaServer & { readonly asked: string[][] } {
  const asked: string[][] = [];
  return {
    asked,
    find: async () => '/bin/llama-server',
    ask: async () => ({
      ok: true,
      value: {
        path: '/bin/llama-server',
        version: '1.0',
        build: '1.0',
        draftTypes: [],
        cards: cards.map((totalBytes, index) => ({
          name: `CUDA${index}`,
          totalBytes,
          freeBytes: totalBytes,
          driverBytes: 0,
          isUnified: false,
        })),
      },
    }),
    use: async ({ args }) => {
      asked.push([...args]);
      if (tokensOf(args) > most)
        return { ok: false, code: 'out-of-memory', memory: 'host', message: 'llama-server has no memory left.' };
      return { ok: false, code: 'engine-lost', message: 'it ended' };
    },
    running: () => null,
    release: async () => undefined,
    dispose: async () => undefined,
  };
}

const after = (args: readonly string[], name: string): string | undefined => args[args.indexOf(name) + 1];
const tokensOf = (args: readonly string[]): number => Number(after(args, '--ctx-size'));

function open(own: OwnLlamaServer, more: Partial<LlamaServerParts> = {}, settings: object = {}): Provider {
  return createLlamaServerProvider(
    providerDependencies({
      ownLlamaServer: own,
      readHeader: createHeaderReader(),
      freeHostBytes: async () => 8 * 2 ** 30,
      loadSteps: createLoadSteps(join(dir, 'steps.json')),
      localModels: async () => ['m', 'reads'],
      modelFile: async (name) => ({
        path,
        contextTokens: null,
        parametersB: 1,
        label: name,
        ...(name === 'reads' ? { use: 'vectors' as const } : {}),
      }),
      ...more,
    }),
    { id: 'llama-server', settings: llamaServerSchema.parse({ kind: 'llama-server', ...settings }) },
  );
}

async function errorOf(provider: Provider, name = 'm'): Promise<ProviderError | null> {
  const ended = (await collect(provider.stream(request(name), never))).at(-1);
  return ended?.type === 'ended' ? ended.error : null;
}

describe('an own llama-server', () => {
  it('refuses a model that gives no answers, and does not list it', async () => {
    const own = fakeServer(0);
    const provider = open(own);
    expect((await provider.list(never)).map(({ id }) => id)).toEqual(['llama-server/m']);
    expect(await errorOf(provider, 'reads')).toMatchObject({
      code: 'bad-model',
      message: expect.stringContaining('vectors for a search'),
    });
    expect(own.asked).toEqual([]);
  });

  it('gets one step less after it had no memory, says so, and keeps it after a restart', async () => {
    const own = fakeServer(4_096);
    const first = await errorOf(open(own, {}, { contextTokens: 16_384 }));
    expect(first).toMatchObject({ code: 'out-of-memory', retryable: true });
    expect(first?.message).toContain('From now on, it is loaded with 8192 tokens');
    const again = await errorOf(open(own, {}, { contextTokens: 16_384 }));
    expect(again).toMatchObject({ code: 'out-of-memory', retryable: false });
    expect(again?.message).toContain('contextTokens in your settings');
    expect(own.asked.map(tokensOf)).toEqual([16_384, 8_192]);
  });

  it('uses less of a card without room', async () => {
    const own = { ...fakeServer(0, [700 * mebi]) };
    const use: OwnLlamaServer['use'] = async (load, signal) => {
      const reply = await fakeServer(0).use(load, signal);
      return reply.ok || reply.code !== 'out-of-memory' ? reply : { ...reply, memory: 'card' };
    };
    const error = await errorOf(open({ ...own, use }));
    expect(error?.message).toMatch(
      /From now on, it is loaded with (\d+) tokens.* on the card instead of 32768 tokens/u,
    );
  });

  it('reports smaller memory at the next call if only a count had failed', async () => {
    const own = fakeServer(8_192);
    const provider = open(own, {}, { contextTokens: 16_384 });
    expect(await provider.countTokens(request('m'), never)).toBeNull();
    expect(await errorOf(provider)).toMatchObject({ code: 'out-of-memory', retryable: true });
    expect(await errorOf(provider)).toMatchObject({ code: 'engine-lost' });
  });

  it('runs with half of its threads on a strained machine', async () => {
    const own = fakeServer(1e9);
    const strain = async (): Promise<Strain> => ({ act: 'slower', causes: ['battery'] });
    await errorOf(open(own, { strain }, { threads: 6 }));
    await errorOf(open(own, {}, { threads: 6 }));
    expect(own.asked.map((args) => after(args, '--threads'))).toEqual(['3', '6']);
  });

  it('tells the planner its header and cards, and no card if the card is switched off', async () => {
    const own = fakeServer(0, [8 * 2 ** 30]);
    expect(await open(own).server?.plan('m', never)).toMatchObject({
      facts: { keys: { 'general.architecture': 'llama' } },
      cards: [{ name: 'CUDA0' }],
    });
    expect(await open(own, {}, { gpu: 'off' }).server?.plan('m', never)).toMatchObject({ cards: [] });
  });

  it('is given the projector of its model, on the card only if the model goes there', async () => {
    const facts = {
      kind: 'qwen3vl_merger',
      modelWidth: 256,
      weightsBytes: 4 * mebi,
      width: 64,
      layers: 2,
      feedForward: 128,
      patch: 16,
      merge: 2,
      imageSize: 128,
      size: { type: 'by-pixels', least: 8, most: 4096 },
    } as const;
    const file = { path, contextTokens: null, parametersB: 1, label: 'm' };
    const modelFile = async () => ({ ...file, sight: { projector: { path: '/mmproj.gguf', facts } } });
    const [own, carded] = [fakeServer(1e9), fakeServer(1e9, [8 * 2 ** 30])];
    const info = await open(own, { modelFile }).resolve('m', never);
    expect(info).toMatchObject({ capabilities: { images: true }, imageTokens: 1024 });
    await errorOf(open(own, { modelFile }));
    await errorOf(open(carded, { modelFile }));
    const asked = [own, carded].flatMap((server) => server.asked);
    expect(asked.map((args) => [after(args, '--mmproj'), after(args, '--image-max-tokens')])).toEqual([
      ['/mmproj.gguf', '1024'],
      ['/mmproj.gguf', '1024'],
    ]);
    expect(asked.map((args) => args.includes('--no-mmproj-offload'))).toEqual([true, false]);
  });

  it('says what to do if it cannot use the projector, and why one is not used', async () => {
    const refusal = 'The projector eye.gguf belongs to another model.';
    const file = { path, contextTokens: null, parametersB: 1, label: 'm', sight: { refusal } };
    const info = await open(fakeServer(1e9), { modelFile: async () => file }).resolve('m', never);
    expect(info?.note).toBe(refusal);
    expect(info?.capabilities.images).toBeUndefined();
  });
});
