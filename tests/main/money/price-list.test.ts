import { readFileSync } from 'node:fs';
import { calcPrice } from '@pydantic/genai-prices';
import { describe, expect, it } from 'vitest';
import { listedPrice, priceList } from '../../../src/main/money/price-list.ts';
import { costOf, worstCostOf } from '../../../src/shared/money/token-cost.ts';
import type { ProviderSettings } from '../../../src/shared/settings/settings.ts';
import { providerSettingsSchema, knownProviderSettings } from '../../../src/shared/settings/settings.ts';

const at = Date.UTC(2026, 10, 21);
const openai = knownProviderSettings('openai') ?? providerSettingsSchema.parse({ kind: 'openai' });
const known: readonly (readonly [string, string, string])[] = [
  ['openai', 'gpt-5', 'openai'],
  ['openai', 'gpt-4o-mini', 'openai'],
  ['anthropic', 'claude-sonnet-4-5', 'anthropic'],
  ['gemini', 'gemini-2.5-pro', 'google'],
  ['groq', 'llama-3.3-70b-versatile', 'groq'],
  ['deepseek', 'deepseek-chat', 'deepseek'],
];

const settingsOf = (name: string): ProviderSettings => knownProviderSettings(name) ?? openai;

describe('the price of a model', () => {
  it.each(known)(
    'of %s, %s, is what the price list calculates, on both sides of every tier',
    async (service, name, id) => {
      const price = await listedPrice({ settings: settingsOf(service), name, at });
      const sizes = [0, 1, 999, 128_000, 128_001, 199_999, 200_000, 200_001, 272_001, 1_000_000];
      for (const promptTokens of sizes) {
        const cacheRead = Math.floor(promptTokens / 3);
        const cacheWrite = price?.cacheWrite === undefined ? 0 : Math.floor(promptTokens / 4);
        const freshInput = promptTokens - cacheRead - cacheWrite;
        const usage = { freshInput, cacheRead, cacheWrite, output: 777, reasoning: 0, estimated: false };
        // The list counts cached tokens as part of the input. Dewpoint's counts are disjoint.
        const listed = calcPrice(
          {
            input_tokens: promptTokens,
            cache_read_tokens: cacheRead,
            cache_write_tokens: cacheWrite,
            output_tokens: 777,
          },
          name,
          { providerId: id, timestamp: new Date(at) },
        );
        expect(costOf(usage, price)).toBeCloseTo(listed?.total_price ?? Number.NaN, 9);
        expect(worstCostOf(promptTokens, 777, price)).toBeGreaterThanOrEqual((costOf(usage, price) ?? 0) - 1e-12);
      }
    },
  );

  it('names its source and the date of the installed list', async () => {
    const price = await listedPrice({ settings: openai, name: 'gpt-5', at });
    expect(price).toMatchObject({ source: `genai-prices ${priceList.version} (openai/gpt-5)`, date: priceList.date });
    const { version } = JSON.parse(readFileSync('node_modules/@pydantic/genai-prices/package.json', 'utf8'));
    expect(priceList.version).toBe(version);
  });

  it.each([
    ['a model that the list does not know', openai, 'gpt-900-nobody'],
    ['a server on this machine', settingsOf('vllm'), 'gpt-5'],
    ['somebody else behind the same kind of interface', custom({ baseUrl: 'https://models.example.org/v1' }), 'gpt-5'],
    [
      'a preset at another address',
      custom({ preset: 'groq', baseUrl: 'https://proxy.example.org/v1' }),
      'llama-3.3-70b-versatile',
    ],
    ['a router that may choose any service', settingsOf('huggingface'), 'meta-llama/Llama-3.3-70B-Instruct'],
  ])('is unknown for %s', async (_what, settings, name) => {
    expect(await listedPrice({ settings, name, at })).toBeNull();
  });
});

function custom(fields: object): ProviderSettings {
  return providerSettingsSchema.parse({ kind: 'openai-compatible', ...fields });
}
