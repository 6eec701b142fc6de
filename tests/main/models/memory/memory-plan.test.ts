import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { CacheType, EngineProfile } from '../../../../src/shared/models/memory-estimate.ts';
import { contextTerms } from '../../../../src/main/models/memory/estimate/context-memory.ts';
import { parseCatalog } from '../../../../src/main/models/files/model-catalog.ts';
import { budgetBytes, planMemory, ruleOfThumb } from '../../../../src/main/models/memory/memory-plan.ts';
import type { Card, MemoryPlanRequest } from '../../../../src/main/models/memory/memory-plan.ts';
import { estimateMemory, readModelMemory } from '../../../../src/main/models/memory/estimate/model-memory.ts';
import type { ModelMemory, ModelWeights } from '../../../../src/main/models/memory/estimate/model-memory.ts';

const gib = 1024 ** 3;
const catalog = parseCatalog(JSON.parse(readFileSync('resources/models.json', 'utf8')));

/** What the engine itself allocates. The planner's rules were not derived from it. */
const engine = z
  .object({
    models: z.array(
      z.object({
        name: z.string(),
        dryRuns: z.array(
          z.tuple([
            z.enum(['f16', 'q8_0', 'q4_0']),
            z.number(),
            z.number(),
            z.number(),
            z.number(),
            z.number(),
            z.number(),
          ]),
        ),
        slots: z.array(z.tuple([z.number(), z.number(), z.number(), z.number(), z.number()])),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync('bench/data/engine-allocations.json', 'utf8')));

function model(name: string, weights?: ModelWeights): ModelMemory {
  const known = catalog.known.find((entry) => entry.name === name);
  if (known === undefined) throw new Error(`no ${name}`);
  const bytes = known.weights?.bytes ?? 0;
  const result = readModelMemory({
    keys: known.keys,
    vocabulary: null,
    weights: weights ?? { totalBytes: bytes, inputBytes: null, isTied: known.tiedEmbeddings, layers: null },
  });
  if (!result.known) throw new Error(result.why);
  return result.memory;
}

const card = (gigabytes: number, more: Partial<Card> = {}): Card => ({
  name: `${gigabytes} GiB`,
  totalBytes: gigabytes * gib,
  freeBytes: gigabytes * gib,
  driverBytes: 0,
  isUnified: false,
  ...more,
});

const request = (cards: readonly Card[], more: Partial<MemoryPlanRequest> = {}): MemoryPlanRequest => ({
  askedTokens: null,
  cacheType: null,
  flashAttention: true,
  ubatchTokens: 512,
  slots: 1,
  unified: false,
  draftTokens: 0,
  engine: 'llama-server',
  cards,
  hostFreeBytes: null,
  ...more,
});

/** Rows of llama.cpp's own allocations: [model, KV type, flash attention, context, ubatch, slots, unified, bytes]. */
const allocated: readonly (readonly [string, CacheType, boolean, number, number, number, boolean, number])[] = [
  ['llama-3.1-8b-instruct', 'f16', true, 5000, 512, 3, false, 704643072],
  ['llama-3.1-8b-instruct', 'q8_0', true, 4096, 512, 1, false, 285212672],
  ['llama-3.1-8b-instruct', 'q4_0', true, 32768, 512, 1, false, 1207959552],
  ['qwen3.6-27b', 'f16', true, 262144, 512, 1, false, 16384 * 1024 ** 2 + 156893184],
  ['qwen3.6-27b', 'f16', true, 262144, 512, 4, true, 16384 * 1024 ** 2 + 4 * 156893184],
];

describe('the catalog', () => {
  it('has 40 models of 15 architectures or more, with sources and a computed memory', () => {
    expect(catalog.known.length).toBeGreaterThanOrEqual(40);
    const architectures = new Set(catalog.known.map((entry) => entry.keys['general.architecture']));
    expect(architectures.size).toBeGreaterThanOrEqual(15);
    for (const { name, keys, sources } of catalog.known) {
      expect(readModelMemory({ keys, vocabulary: null, weights: null }), name).toMatchObject({ known: true });
      expect(sources.join(' '), name).toMatch(/github|huggingface|\/.+\.(py|ipynb|json)|^the header of the file/);
    }
    expect(new Set(catalog.known.map((entry) => entry.name)).size).toBe(catalog.known.length);
  });
});

describe('the bytes of a context', () => {
  it.each(allocated)('are those that the engine allocates for %s %s', (name, cacheType, flashAttention, ...rest) => {
    const [contextTokens, ubatchTokens, slots, unified, bytes] = rest;
    const terms = contextTerms(model(name).context, {
      contextTokens,
      cacheType,
      flashAttention,
      ubatchTokens,
      slots,
      unified,
      draftTokens: 0,
    });
    expect(terms.reduce((sum, term) => sum + term.bytes, 0)).toBe(bytes);
  });

  it('are exact for every measured allocation', () => {
    const off: string[] = [];
    for (const { name, dryRuns, slots } of engine.models) {
      const { context } = model(name);
      const check = (bytes: number, asked: Parameters<typeof contextTerms>[1]): void => {
        const sum = contextTerms(context, asked).reduce((total, term) => total + term.bytes, 0);
        if (sum !== bytes) off.push(`${name} ${JSON.stringify(asked)}: ${sum}, not ${bytes}`);
      };
      const base = { draftTokens: 0, slots: 1, unified: false };
      for (const [cacheType, flash, contextTokens, ubatchTokens, , bytes] of dryRuns)
        check(bytes, { ...base, contextTokens, cacheType, flashAttention: flash === 1, ubatchTokens });
      for (const [count, unified, contextTokens, bytes] of slots)
        check(bytes, {
          ...base,
          contextTokens,
          cacheType: 'f16',
          flashAttention: true,
          ubatchTokens: 512,
          slots: count,
          unified: unified === 1,
        });
    }
    expect(off).toEqual([]);
  });

  it('include the recurrent state once for each drafted token more', () => {
    const terms = contextTerms(model('qwen3.6-27b').context, {
      contextTokens: 4096,
      cacheType: 'q8_0',
      flashAttention: true,
      ubatchTokens: 512,
      slots: 1,
      unified: false,
      draftTokens: 4,
    });
    expect(terms.find((term) => term.name === 'recurrent')?.bytes).toBe(5 * 156893184);
  });

  it('are unknown for an architecture without rules, and for left-out arrays', () => {
    const keys = { ...catalog.known.find((entry) => entry.name === 'gemma-4-12b-it')?.keys };
    expect(readModelMemory({ keys: { 'general.architecture': 'novel' }, vocabulary: 1, weights: null })).toMatchObject({
      known: false,
    });
    expect(
      readModelMemory({
        keys: { ...keys, 'gemma4.attention.sliding_window_pattern': null },
        vocabulary: null,
        weights: null,
      }),
    ).toMatchObject({ known: false, why: expect.stringContaining('sliding_window_pattern') });
    expect(
      readModelMemory({
        keys: { 'general.architecture': 'deepseek4', 'deepseek4.block_count': 61 },
        vocabulary: 1,
        weights: null,
      }),
    ).toMatchObject({ known: false, why: expect.stringContaining('dry run') });
  });
});

describe('an estimate', () => {
  it('is never called exact for a compute buffer that nobody measured', () => {
    const context = {
      contextTokens: 32768,
      cacheType: 'f16' as const,
      flashAttention: true,
      ubatchTokens: 512,
      slots: 1,
      unified: false,
      draftTokens: 0,
    };
    const estimate = estimateMemory(model('qwen3-14b'), { context, engine: 'llama-server' });
    expect(estimate.certainty).toBe('bounded');
    expect(estimate.terms.map(({ name, certainty }) => [name, certainty])).toEqual([
      ['weights', 'exact'],
      ['kv-full', 'exact'],
      ['compute', 'bounded'],
    ]);
    expect(estimate.totalBytes).toBe(estimate.terms.reduce((sum, term) => sum + term.bytes, 0));
  });
});

/** The memory for everything on one card, computed without the planner. */
function fullBytes(
  memory: ModelMemory,
  { tokens, type, engine = 'llama-server' }: { tokens: number; type: CacheType; engine?: EngineProfile },
): number {
  const context = {
    contextTokens: tokens,
    cacheType: type,
    flashAttention: true,
    ubatchTokens: 512,
    slots: 1,
    unified: false,
    draftTokens: 0,
  };
  return estimateMemory(memory, { context, engine }).totalBytes ?? Number.NaN;
}

describe('a memory plan', () => {
  it('has the longest context that fits on the card', () => {
    const memory = model('qwen3-4b-2507');
    for (const gigabytes of [6, 8, 12, 16]) {
      for (const type of ['f16', 'q8_0', 'q4_0'] as const) {
        const plan = planMemory(memory, request([card(gigabytes)], { cacheType: type }));
        const budget = budgetBytes(card(gigabytes));
        expect(plan).toMatchObject({ placement: 'devices', kv: type, gpuLayers: 37 });
        expect(fullBytes(memory, { tokens: plan.context, type })).toBeLessThanOrEqual(budget);
        if (plan.context < 262144)
          expect(fullBytes(memory, { tokens: plan.context + 512, type })).toBeGreaterThan(budget);
      }
    }
  });

  it('counts what other programs use of the card', () => {
    const memory = model('qwen3-4b-2507');
    const busy = planMemory(memory, request([card(16, { freeBytes: 6 * gib })], { cacheType: 'f16' }));
    const whole = planMemory(memory, request([card(16)], { cacheType: 'f16' }));
    expect(busy.context).toBeLessThan(whole.context);
  });

  it('grants the wanted length, or says why it cannot', () => {
    const memory = model('qwen3-14b');
    expect(planMemory(memory, request([card(24)], { askedTokens: 20000 }))).toMatchObject({
      context: 20000,
      kv: 'f16',
    });
    const beyond = planMemory(memory, request([card(80)], { askedTokens: 100000 }));
    expect(beyond).toMatchObject({ context: 40960, reason: expect.stringContaining('trained for 40960') });
  });

  it('takes q8_0 only if that adds a step of length, and never for gpt-oss', () => {
    expect(planMemory(model('qwen3.6-27b'), request([card(24)])).kv).toBe('f16');
    const tight = planMemory(model('mistral-small-3.2-24b'), request([card(16)]));
    expect(tight).toMatchObject({ kv: 'q8_0', warnings: [expect.stringContaining('q8_0')] });
    for (const gigabytes of [12, 13, 14, 16])
      expect(planMemory(model('gpt-oss-20b'), request([card(gigabytes)])).kv).toBe('f16');
  });

  it('moves experts to the host before layers, and layers before it gives up', () => {
    const layers = Array.from({ length: 40 }, () => ({ bytes: 500_000_000, expertBytes: 450_000_000 }));
    const weights = { totalBytes: 20.8e9, inputBytes: 0.4e9, isTied: false, layers };
    const experts = planMemory(model('qwen3.6-35b-a3b', weights), request([card(8)], { hostFreeBytes: 32 * gib }));
    expect(experts).toMatchObject({ placement: 'experts-on-host', gpuLayers: 41 });
    // It moves as few experts as needed, because the card reads them faster.
    const moved = experts.hostExperts ?? 0;
    expect([moved > 0, moved < 40]).toEqual([true, true]);
    expect(experts.hostBytes).toBe(0.4e9 + moved * 0.45e9);
    const [device] = experts.devices;
    expect((device?.bytes ?? 0) + 0.45e9).toBeGreaterThan(device?.budgetBytes ?? 0);
    expect(device?.bytes).toBeLessThanOrEqual(device?.budgetBytes ?? 0);
    const shape = planMemory(model('qwen3.6-35b-a3b'), request([card(8)], { hostFreeBytes: 32 * gib }));
    expect(shape).toMatchObject({ placement: 'experts-on-host', gpuLayers: 42, context: 65536 });
    // This engine has no option for experts alone, so a plan with experts could not be loaded.
    const whole = planMemory(
      model('qwen3.6-35b-a3b', weights),
      request([card(8)], { hostFreeBytes: 32 * gib, engine: 'node-llama-cpp' }),
    );
    expect(whole.placement).toBe('partly-on-host');
    expect(whole.gpuLayers).toBeLessThan(20);
    const dense = planMemory(model('qwen3-32b'), request([card(12)], { hostFreeBytes: 32 * gib }));
    expect(dense.placement).toBe('partly-on-host');
    expect(dense.gpuLayers).toBeGreaterThan(20);
    expect(dense.gpuLayers).toBeLessThan(65);
    expect(dense.devices[0]?.bytes).toBeLessThanOrEqual(dense.devices[0]?.budgetBytes ?? 0);
  });

  it('counts each card separately', () => {
    const two = planMemory(model('qwen3-32b'), request([card(12), card(12)], { cacheType: 'f16' }));
    const one = planMemory(model('qwen3-32b'), request([card(24)], { cacheType: 'f16' }));
    expect(two.placement).toBe('devices');
    expect(two.context).toBeLessThan(one.context);
    for (const device of two.devices) expect(device.bytes).toBeLessThanOrEqual(device.budgetBytes);
    expect(two.devices.reduce((sum, device) => sum + device.layers, 0)).toBe(64);
  });

  it('counts the host part of a machine with shared memory', () => {
    const shared = planMemory(
      model('llama-3.1-8b-instruct'),
      request([card(12, { isUnified: true })], { cacheType: 'f16' }),
    );
    const own = planMemory(model('llama-3.1-8b-instruct'), request([card(12)], { cacheType: 'f16' }));
    expect(shared.context).toBeLessThanOrEqual(own.context);
  });

  it("uses the processor when no card has room, within the host's memory", () => {
    const none = planMemory(model('qwen3-4b-2507'), request([], { hostFreeBytes: 8 * gib }));
    expect(none).toMatchObject({ placement: 'host', gpuLayers: 0 });
    expect(none.hostBytes).toBeLessThanOrEqual(7 * gib);
    const nothing = planMemory(model('qwen3-32b'), request([card(0.2)], { hostFreeBytes: 8 * gib }));
    expect(nothing).toMatchObject({ placement: 'nowhere', context: 0 });
  });

  it('says nothing about a card while the size of the weights is unknown', () => {
    const memory = { ...model('qwen3-14b'), weights: null };
    expect(planMemory(memory, request([card(24)]))).toMatchObject({
      placement: 'nowhere',
      reason: expect.stringContaining('weights_bytes'),
    });
  });

  it('has a rule of thumb for a model that cannot be computed', () => {
    expect([4, 8, 16, 24].map((gigabytes) => ruleOfThumb(gigabytes * gib))).toEqual([4096, 8192, 32768, 131072]);
  });
});
