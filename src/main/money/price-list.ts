import type { Price } from '@shared/money/token-cost.ts';
import type { ProviderSettings } from '@shared/settings/settings.ts';
import { fetchedRates, type FetchedPrices, type ListedRate, type ListedRates } from './fetched-prices.ts';

/** The bundled price list. A test compares its version with that of the package. */
export const priceList = { version: '0.1.8', date: '2026-09-23' } as const;

export interface PricedModel {
  /** Settings of the provider that answers for the model. */
  readonly settings: ProviderSettings;
  /** The model's name as its service knows it. */
  readonly name: string;
  /** The time, because some services have prices that change with the hour. */
  readonly at: number;
}

/**
 * The price of a model from the list that was fetched on request, else from the list of this version. Uses no network.
 * Null: no list has the model, or a list has rates that our calls cannot be counted by; the model then has no price.
 */
export async function listedPrice(
  { settings, name, at }: PricedModel,
  fetched: FetchedPrices | null = null,
): Promise<Price | null> {
  const service = listNameOf(settings, name);
  return service === null ? null : priceInLists({ service, name: nameInList(settings, name), at }, fetched);
}

/** A model as the lists name it. */
export interface ListedName {
  readonly service: string;
  readonly name: string;
  readonly at: number;
}

/** As `listedPrice`, by the names of the list. */
export async function priceInLists(asked: ListedName, fetched: FetchedPrices | null): Promise<Price | null> {
  const newer = fetched === null ? null : fetchedRates(fetched, asked);
  if (fetched !== null && newer !== null) {
    const rates = ratesOf(newer.rates);
    const source = `genai-prices, fetched (${asked.service}/${newer.model})`;
    return rates === null ? null : { ...rates, source, date: fetched.date };
  }
  // Loaded on demand: half a megabyte of prices, useless with local models only.
  const { calcPrice } = await import('@pydantic/genai-prices');
  const options = { providerId: asked.service, timestamp: new Date(asked.at) };
  const found = calcPrice({ input_tokens: 0, output_tokens: 0 }, asked.name, options);
  if (found === null) return null;
  const rates = ratesOf(found.model_price);
  if (rates === null) return null;
  const { version, date } = priceList;
  return { ...rates, source: `genai-prices ${version} (${found.provider.id}/${found.model.id})`, date };
}

/** The name of a service in the list; null for a service that it cannot have. */
function listNameOf(settings: ProviderSettings, name: string): string | null {
  switch (settings.kind) {
    case 'openai':
    case 'anthropic':
      return settings.kind;
    case 'gemini':
      return 'google';
    case 'huggingface': {
      // The router serves one model through several services with different prices; `MODEL:SERVICE` names one.
      const service = name.split(':')[1];
      return service === undefined ? null : `huggingface_${service.replaceAll('-', '_')}`;
    }
    case 'openai-compatible':
      return listNameOfPreset(settings);
    case 'llama-cpp':
    case 'llama-server':
    case 'ollama':
    case 'scripted':
      return null;
    default:
      return settings satisfies never;
  }
}

function listNameOfPreset({
  preset,
  where,
  baseUrl,
}: Extract<ProviderSettings, { kind: 'openai-compatible' }>): string | null {
  if (where === 'local') return null;
  switch (preset) {
    case 'xai':
      return 'x-ai';
    case 'lm-studio':
    case 'vllm':
    case 'llama-server':
      return null;
    case undefined:
      return listNameOfHost(baseUrl);
    default:
      // With another address, it is a different service with different prices.
      return baseUrl === undefined || preset === 'azure' ? preset : listNameOfHost(baseUrl);
  }
}

const hosts: readonly (readonly [ending: string, name: string])[] = [
  ['api.openai.com', 'openai'],
  ['openrouter.ai', 'openrouter'],
  ['api.groq.com', 'groq'],
  ['api.deepseek.com', 'deepseek'],
  ['api.mistral.ai', 'mistral'],
  ['api.x.ai', 'x-ai'],
  ['api.together.xyz', 'together'],
  ['api.together.ai', 'together'],
  ['api.fireworks.ai', 'fireworks'],
  ['api.cerebras.ai', 'cerebras'],
  ['api.perplexity.ai', 'perplexity'],
];

function listNameOfHost(baseUrl: string | undefined): string | null {
  const url = baseUrl === undefined ? null : URL.parse(baseUrl);
  return hosts.find(([host]) => url?.hostname === host)?.[1] ?? null;
}

function nameInList(settings: ProviderSettings, name: string): string {
  return settings.kind === 'huggingface' ? (name.split(':')[0] ?? name) : name;
}

/** Rates that our calls never use: speech, video, the service's own searches. */
const unusedRates = /audio|video|searches|hours|document|annotated|image_mtok|image_read|cache_write_1h|citation/u;
const usedRates = ['input_mtok', 'output_mtok', 'cache_read_mtok', 'cache_write_mtok', 'requests_kcount'];

/** Null: a rate that our calls cannot be counted by. */
export function ratesOf(listed: ListedRates): Omit<Price, 'source' | 'date'> | null {
  const isKnown = Object.keys(listed).every((name) => usedRates.includes(name) || unusedRates.test(name));
  if (!isKnown || listed.input_mtok === undefined || listed.output_mtok === undefined) return null;
  const base = ratesAbove(listed, 0);
  const starts = new Set<number>();
  for (const name of usedRates) {
    const rate = listed[name];
    if (typeof rate === 'object') for (const tier of rate.tiers) starts.add(tier.start);
  }
  const tiers = [...starts]
    .sort((left, right) => left - right)
    .map((above) => ({ above, ...ratesAbove(listed, above + 1) }));
  const perCall = rateAt(listed.requests_kcount, 0);
  return {
    ...base,
    ...(tiers.length === 0 ? {} : { tiers }),
    ...(perCall === undefined || perCall === 0 ? {} : { perCall: perCall / 1000 }),
  };
}

function ratesAbove(
  listed: ListedRates,
  promptTokens: number,
): Pick<Price, 'input' | 'output' | 'cacheRead' | 'cacheWrite'> {
  const cacheRead = rateAt(listed.cache_read_mtok, promptTokens);
  const cacheWrite = rateAt(listed.cache_write_mtok, promptTokens);
  return {
    input: rateAt(listed.input_mtok, promptTokens) ?? 0,
    output: rateAt(listed.output_mtok, promptTokens) ?? 0,
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  };
}

function rateAt(rate: ListedRate | undefined, promptTokens: number): number | undefined {
  if (rate === undefined || typeof rate === 'number') return rate;
  const tier = [...rate.tiers]
    .sort((left, right) => right.start - left.start)
    .find(({ start }) => promptTokens > start);
  return tier?.price ?? rate.base;
}
