import { describe, expect, it } from 'vitest';
import { createServerMemoryPlanner } from '../../../../src/main/models/memory/server-memory-planner.ts';
import type {
  ServerMemoryGrant,
  ServerMemoryRequest,
} from '../../../../src/main/models/memory/server-memory-planner.ts';
import { readServerModel } from '../../../../src/main/models/memory/gguf/server-model-header.ts';
import { machines } from '../../../fakes/ollama-troubles.ts';

const never = new AbortController().signal;
const noFile = { ok: false as const, error: { code: 'not-found' as const, message: 'no file' } };

const keys = {
  'general.architecture': 'llama',
  'llama.block_count': 32,
  'llama.context_length': 131_072,
  'llama.embedding_length': 4096,
  'llama.feed_forward_length': 14_336,
  'llama.attention.head_count': 32,
  'llama.attention.head_count_kv': 8,
  'llama.vocab_size': 128_256,
};

function grant(changes: Partial<ServerMemoryRequest>, machine = machines.card): Promise<ServerMemoryGrant> {
  const planner = createServerMemoryPlanner({ readHardware: async () => machine, readHeader: async () => noFile });
  return planner.plan(
    {
      header: readServerModel({ keys, tensors: [] }),
      sizeBytes: 4_900_000_000,
      filePath: null,
      askedTokens: null,
      isHere: true,
      givenBack: { hostBytes: 0, cardBytes: 0 },
      ...changes,
    },
    never,
  );
}

describe('the memory plan for a server', () => {
  it('is what fits on the card beside the weights, with the reason', async () => {
    const given = await grant({});
    expect(given).toMatchObject({ askedTokens: 65_536, placement: 'devices' });
    expect(given.grantedTokens).toBeGreaterThan(4096);
    expect(given.grantedTokens).toBeLessThan(30_000);
    expect(given.predictedBytes).toBeGreaterThan(4_900_000_000);
    expect(given.why).toContain('granted');
  });

  it('counts what the server gives back before a load', async () => {
    const busy = { ...machines.card, devices: machines.card.devices.map((one) => ({ ...one, freeBytes: 1e9 })) };
    expect((await grant({}, busy)).placement).not.toBe('devices');
    expect(await grant({ givenBack: { hostBytes: 0, cardBytes: 7e9 } }, busy)).toMatchObject({ placement: 'devices' });
  });

  it('never exceeds the trained length', async () => {
    expect(await grant({ askedTokens: 200_000 }, machines.processor)).toMatchObject({
      grantedTokens: expect.any(Number),
      why: expect.stringContaining('131072'),
    });
  });

  it('is a rule of thumb, and says so, for a header without its arrays', async () => {
    const header = readServerModel({ keys: { ...keys, 'llama.attention.head_count_kv': null }, tensors: [] });
    expect(header.hollowKeys).toEqual(['llama.attention.head_count_kv']);
    expect(await grant({ header })).toMatchObject({
      grantedTokens: 8192,
      predictedBytes: null,
      why: expect.stringContaining('rule of thumb'),
    });
  });

  it('is the wanted length on a machine that cannot be inspected', async () => {
    expect(await grant({ isHere: false, askedTokens: 16_384 })).toMatchObject({
      grantedTokens: 16_384,
      predictedBytes: null,
      why: expect.stringContaining('another machine'),
    });
  });
});

describe('a header from a server', () => {
  it('has its vocabulary counted but not kept, and its tensors weighed', () => {
    const model = readServerModel({
      keys: { 'general.architecture': 'llama', 'general.tags': null, 'tokenizer.ggml.tokens': ['a', '<|im_start|>'] },
      tensors: [
        { name: 'token_embd.weight', type: 'F16', shape: [10, 20] },
        { name: 'blk.0.ffn_up.weight', type: 'Q4_K', shape: [256, 2] },
      ],
    });
    expect(model).toEqual({
      facts: {
        keys: { 'general.architecture': 'llama' },
        vocabulary: 2,
        weights: {
          totalBytes: 688,
          inputBytes: 400,
          isTied: true,
          layers: [{ bytes: 288, expertBytes: 0 }],
          largestBytes: 288,
        },
      },
      hollowKeys: [],
      markers: ['<|im_start|>'],
    });
  });
});
