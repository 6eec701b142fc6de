import type { Price } from './token-cost.ts';

/** US dollars per million tokens. With tiers and the price of the call itself, as a model is billed. */
export type ListedAmounts = Omit<Price, 'source' | 'date'>;

/** One model of a price list. Null before: a new model. Null after: its price is not known any more. */
export interface PriceChange {
  /** `SERVICE/MODEL`, as the list names them. */
  readonly model: string;
  readonly before: ListedAmounts | null;
  readonly after: ListedAmounts | null;
}

/** The price list in use, or the one that an update would use. */
export interface PriceUpdate {
  readonly date: string;
  /** False: it came with this version of Dewpoint. */
  readonly isFetched: boolean;
  readonly models: number;
  /** What differs from the list in use. Empty where the list in use is only shown. */
  readonly changes: readonly PriceChange[];
  /** Models of the list whose new price cannot be right. They keep the price in use. */
  readonly leftOut: readonly PriceChange[];
  /** How many models of this version the list does not have. They keep the price of this version. */
  readonly keepShipped: number;
  /** Names a list that was previewed, so that just this one is used. Empty for the list in use. */
  readonly hash: string;
  /** False when an update was only previewed. */
  readonly isTaken: boolean;
}

/**
 * Services whose documents say that requests which may wait a day cost half. Checked in June 2026. Dewpoint asks at
 * once, so this is for comparing only.
 */
const halfForBatches: ReadonlySet<string> = new Set(['openai', 'anthropic', 'gemini', 'mistral', 'groq', 'fireworks']);

/** What a sum would be at the batch rate of a provider. Null: none is known, or the sum is unknown. */
export function batchUsd(provider: string, usd: number | null): number | null {
  return usd === null || !halfForBatches.has(provider) ? null : usd / 2;
}

/** All rates in words, such as `in $1.25, out $10, cached $0.125`. */
export function amountsText({ tiers = [], perCall, ...base }: ListedAmounts): string {
  const rates = [base, ...tiers].flatMap(({ input, output, cacheRead = 0, cacheWrite = 0 }) => [
    input,
    output,
    cacheRead,
    cacheWrite,
  ]);
  if ([...rates, perCall ?? 0].every((rate) => rate === 0)) return 'free';
  const above = tiers.map((tier) => `; above ${tier.above} tokens ${ratesText(tier)}`);
  return `${ratesText(base)}${perCall === undefined ? '' : `, each call $${perCall}`}${above.join('')}`;
}

function ratesText({ input, output, cacheRead, cacheWrite }: Omit<ListedAmounts, 'tiers' | 'perCall'>): string {
  const cached = cacheRead === undefined ? '' : `, cached $${cacheRead}`;
  const written = cacheWrite === undefined ? '' : `, cache write $${cacheWrite}`;
  return `in $${input}, out $${output}${cached}${written}`;
}
