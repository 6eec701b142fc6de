import { describe, expect, it } from 'vitest';
import type { GgufHeader } from '../../../../../src/main/models/memory/gguf/read-gguf.ts';
import { planServerLoad } from '../../../../../src/main/models/memory/plan-server-load.ts';
import {
  chooseDraft,
  draftArguments,
  draftWays,
} from '../../../../../src/main/models/providers/llama-server/draft-ways.ts';
import type { DraftWay, HeaderOfFile } from '../../../../../src/main/models/providers/llama-server/draft-ways.ts';

const gib = 2 ** 30;
const all = ['draft-simple', 'draft-eagle3', 'draft-mtp', 'ngram-simple', 'ngram-mod'];

interface Kind {
  readonly architecture?: string;
  readonly words?: number;
  readonly pre?: string;
  readonly use?: GgufHeader['use'];
  readonly more?: Readonly<Record<string, unknown>>;
}

function file(name: string, fileBytes: number, kind: Kind = {}): HeaderOfFile {
  const { architecture = 'qwen2', words = 151_936, pre = 'qwen2', use = null, more = {} } = kind;
  const keys = {
    'general.architecture': architecture,
    'tokenizer.ggml.model': 'gpt2',
    'tokenizer.ggml.pre': pre,
    [`${architecture}.block_count`]: 24,
    [`${architecture}.context_length`]: 32_768,
    [`${architecture}.embedding_length`]: 896,
    [`${architecture}.feed_forward_length`]: 4864,
    [`${architecture}.attention.head_count`]: 14,
    [`${architecture}.attention.head_count_kv`]: 2,
    ...more,
  };
  const weights = { totalBytes: fileBytes, inputBytes: 0.1e9, isTied: true, layers: null };
  const header = {
    version: 3,
    architecture,
    name,
    contextTokens: 32_768,
    sizeLabel: null,
    license: null,
    chatTemplate: null,
    use,
    tensorCount: 1,
    neededBytes: fileBytes,
    fileBytes,
    files: [],
    facts: { keys, vocabulary: words, weights },
  };
  return { id: `llama-cpp/${name}`, path: `/m/${name}.gguf`, header };
}

const large = file('large', 4e9);
const small = file('small', 0.5e9);
const ids = (ways: readonly DraftWay[]): readonly string[] => ways.map(({ id }) => id);

describe('the drafters for a model', () => {
  it('include only much smaller models with the same vocabulary, the smallest first', () => {
    const others = [
      large,
      file('half', 1.9e9),
      small,
      file('as-large', 3e9),
      file('other-words', 0.4e9, { words: 49_152 }),
      file('other-tokenizer', 0.4e9, { pre: 'llama-bpe' }),
      file('vectors', 0.3e9, { use: 'vectors' }),
      file('third', 1.95e9),
    ];
    expect(ids(draftWays(large, all, others))).toEqual(['lookup', 'llama-cpp/small', 'llama-cpp/half']);
  });

  it('include layers and heads of the model if the build can use them', () => {
    const own = file('own', 4e9, { architecture: 'qwen35', more: { 'qwen35.nextn_predict_layers': 1 } });
    const head = file('head', 0.2e9, { architecture: 'eagle3' });
    expect(draftWays(own, all, [head]).map(({ id, type }) => [id, type])).toEqual([
      ['lookup', 'ngram-simple'],
      ['mtp', 'draft-mtp'],
      ['llama-cpp/head', 'draft-eagle3'],
    ]);
    expect(ids(draftWays(own, ['ngram-simple'], [head]))).toEqual(['lookup']);
    expect(draftWays(own, [], [head])).toEqual([]);
  });
});

describe('the chosen drafter', () => {
  const ways = draftWays(large, all, [small]);
  const verdict = { on: 'build 1', best: 'llama-cpp/small', hasSameFile: true };
  const wish = { asked: undefined, set: 'auto', verdict, on: 'build 1' };

  it('is the best one of the probe, or none', () => {
    expect(chooseDraft(ways, wish).way?.id).toBe('llama-cpp/small');
    expect(chooseDraft(ways, { ...wish, verdict: null })).toEqual({ way: null, why: null });
    expect(chooseDraft(ways, { ...wish, verdict: { ...verdict, best: null } })).toEqual({ way: null, why: null });
    expect(chooseDraft(ways, { ...wish, set: 'off' })).toEqual({ way: null, why: null });
  });

  it('is none for another server, another file or a missing model, with the reason', () => {
    const elsewhere = chooseDraft(ways, { ...wish, on: 'build 2' });
    expect(elsewhere).toMatchObject({ way: null, why: expect.stringContaining('another llama-server') });
    const changed = chooseDraft(ways, { ...wish, verdict: { ...verdict, hasSameFile: false } });
    expect(changed).toMatchObject({ way: null, why: expect.stringContaining('the file of llama-cpp/small') });
    const gone = chooseDraft(ways, { ...wish, set: 'llama-cpp/gone' });
    expect(gone).toMatchObject({ way: null, why: expect.stringContaining('llama-cpp/gone is not here') });
  });

  it('follows a person before the probe, and a comparing call before both', () => {
    expect(chooseDraft(ways, { ...wish, set: 'lookup' }).way?.id).toBe('lookup');
    expect(chooseDraft(ways, { ...wish, asked: 'off' }).way).toBeNull();
    expect(chooseDraft(ways, { ...wish, set: 'off', asked: 'lookup' }).way?.id).toBe('lookup');
  });
});

describe('a load with drafts', () => {
  const [lookup, drafter] = draftWays(large, all, [small]);
  if (lookup === undefined || drafter === undefined) throw new Error('there are two');
  const wish = { facts: large.header.facts, askedTokens: 8192, cards: [], hostFreeBytes: 16 * gib } as const;
  const card = { name: 'CUDA0', totalBytes: 8 * gib, freeBytes: 8 * gib, driverBytes: 0, isUnified: false };

  it('counts the memory of a draft model, and almost none for a look-up', () => {
    const plain = planServerLoad({ ...wish, draft: null });
    const looked = planServerLoad({ ...wish, draft: lookup.load });
    const drafted = planServerLoad({ ...wish, draft: drafter.load });
    expect([plain.draftBytes, looked.draftBytes, looked.why]).toEqual([null, 0, null]);
    expect((looked.predictedBytes ?? 0) - (plain.predictedBytes ?? 0)).toBeLessThan(20e6);
    // 0.5 GB of weights, and for each token 24 layers of keys and values with 128 numbers each in f16.
    expect(drafted.draftBytes).toBeGreaterThan(0.5e9 + 8192 * 24 * 2 * 128 * 2);
    expect((drafted.predictedBytes ?? 0) - (looked.predictedBytes ?? 0)).toBeCloseTo(drafted.draftBytes ?? 0, -2);
  });

  it('leaves room on the card for a draft, and calls that an estimate', () => {
    const cards = [{ ...card, totalBytes: 5 * gib, freeBytes: 5 * gib }];
    const plain = planServerLoad({ ...wish, cards, draft: null });
    const drafted = planServerLoad({ ...wish, cards, draft: drafter.load });
    expect(plain.placement).toBe('devices');
    expect(drafted.gpuLayers).toBeLessThanOrEqual(plain.gpuLayers);
    expect(drafted.cardBytes).toBeLessThan(5 * gib);
    expect(drafted.why).toContain('what its drafts take is an estimate');
  });

  it('names the drafter to the server, on the same card', () => {
    const host = planServerLoad({ ...wish, draft: drafter.load });
    expect(draftArguments(null, host, undefined)).toEqual([]);
    expect(draftArguments(lookup, host, undefined).slice(0, 2)).toEqual(['--spec-type', 'ngram-simple']);
    const here = draftArguments(drafter, host, undefined);
    expect(here).toEqual(expect.arrayContaining(['draft-simple', '--spec-draft-model', '/m/small.gguf']));
    expect(here.slice(-2)).toEqual(['--spec-draft-device', 'none']);
    const there = planServerLoad({ ...wish, cards: [card], draft: drafter.load });
    expect(draftArguments(drafter, there, 'CUDA0').slice(-4)).toEqual([
      '--spec-draft-device',
      'CUDA0',
      '--spec-draft-ngl',
      'all',
    ]);
  });
});
