import { describe, expect, it } from 'vitest';
import type { Card } from '../../../../src/main/models/memory/memory-plan.ts';
import { loadArguments, planServerLoad } from '../../../../src/main/models/memory/plan-server-load.ts';

const gib = 2 ** 30;

function card(gigabytes: number): Card {
  const totalBytes = gigabytes * gib;
  return { name: `${gigabytes} GiB`, totalBytes, freeBytes: totalBytes, driverBytes: 0, isUnified: false };
}

/** The shape of a 30B model with 3B active: 48 layers, which consist almost only of experts. */
const layers = Array.from({ length: 48 }, () => ({ bytes: 380_000_000, expertBytes: 350_000_000 }));
const facts = {
  keys: {
    'general.architecture': 'qwen3moe',
    'qwen3moe.block_count': 48,
    'qwen3moe.context_length': 40_960,
    'qwen3moe.embedding_length': 2048,
    'qwen3moe.feed_forward_length': 6144,
    'qwen3moe.expert_feed_forward_length': 768,
    'qwen3moe.expert_count': 128,
    'qwen3moe.expert_used_count': 8,
    'qwen3moe.attention.head_count': 32,
    'qwen3moe.attention.head_count_kv': 4,
    'qwen3moe.attention.key_length': 128,
    'qwen3moe.attention.value_length': 128,
    'qwen3moe.vocab_size': 151_936,
  },
  vocabulary: 151_936,
  weights: { totalBytes: 18.24e9 + 0.6e9, inputBytes: 0.3e9, isTied: false, layers },
};
const wish = { facts, askedTokens: 16_384, hostFreeBytes: 32 * gib, draft: null } as const;
const after = (args: readonly string[], name: string): string | undefined =>
  args.includes(name) ? args[args.indexOf(name) + 1] : undefined;

describe('the load of a llama-server', () => {
  it('keeps everything on a card with room, and otherwise moves only experts', () => {
    const whole = planServerLoad({ ...wish, cards: [card(24)] });
    expect(whole).toMatchObject({ placement: 'devices', hostExperts: 0, grantedTokens: 16_384, why: null });
    const apart = planServerLoad({ ...wish, cards: [card(12)] });
    expect(apart).toMatchObject({ placement: 'experts-on-host', gpuLayers: 49, grantedTokens: 16_384 });
    expect(apart.why).toContain(`the experts of ${apart.hostExperts} of 48 layers are in main memory`);
    expect(apart.why).toContain('what the card takes is an estimate');
    const smaller = planServerLoad({ ...wish, cards: [card(8)] });
    expect(smaller.hostExperts).toBeGreaterThan(apart.hostExperts);
    const args = loadArguments('/m/some.gguf', apart);
    expect([after(args, '--n-cpu-moe'), after(args, '--n-gpu-layers'), after(args, '--alias')]).toEqual([
      String(apart.hostExperts),
      '49',
      'some',
    ]);
  });

  it('names the layers of each card, with the output', () => {
    const two = planServerLoad({ ...wish, cards: [card(12), card(12)] });
    const split = (after(loadArguments('/m/some.gguf', two), '--tensor-split') ?? '').split(',').map(Number);
    expect(split).toHaveLength(2);
    expect((split[0] ?? 0) + (split[1] ?? 0)).toBe(49);
  });

  it('keeps off a card without room, and plans nothing that it cannot compute', () => {
    const none = planServerLoad({ ...wish, cards: [card(1)] });
    expect(none.placement).toBe('host');
    expect(after(loadArguments('/m/some.gguf', none), '--device')).toBe('none');
    const unknown = planServerLoad({ ...wish, facts: null, cards: [card(24)] });
    expect(unknown).toMatchObject({ placement: null, predictedBytes: null, why: 'its header could not be read' });
  });
});
