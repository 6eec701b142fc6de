import { z } from 'zod';

/** Four disjoint buckets of tokens of one model call. `reasoning` is a part of `output`. */
export const usageSchema = z.object({
  freshInput: z.number().int().nonnegative(),
  cacheRead: z.number().int().nonnegative(),
  cacheWrite: z.number().int().nonnegative(),
  output: z.number().int().nonnegative(),
  reasoning: z.number().int().nonnegative().default(0),
  /** True when the provider gave no numbers and Dewpoint counted or estimated these. */
  estimated: z.boolean().default(false),
});
export type Usage = z.infer<typeof usageSchema>;

export const noUsage: Usage = { freshInput: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0, estimated: false };

/** US dollars per million tokens, by bucket. Without a cache price, cached tokens cost as much as fresh input. */
const ratesSchema = z.object({
  input: z.number().nonnegative(),
  cacheRead: z.number().nonnegative().optional(),
  cacheWrite: z.number().nonnegative().optional(),
  output: z.number().nonnegative(),
});
type Rates = z.infer<typeof ratesSchema>;

/** What a model costs. `source` and `date` say where the price comes from. */
export const priceSchema = ratesSchema.extend({
  source: z.string(),
  date: z.string(),
  /**
   * Higher rates for long prompts, in rising order. A call whose prompt has more than `above` tokens is billed by them
   * as a whole.
   */
  tiers: z.array(ratesSchema.extend({ above: z.number().int().nonnegative() })).optional(),
  /** US dollars for the call itself, regardless of its tokens. */
  perCall: z.number().nonnegative().optional(),
});
export type Price = z.infer<typeof priceSchema>;

/** Prompt tokens of a call: the sum of the three input buckets. */
export function promptTokensOf(usage: Usage): number {
  return usage.freshInput + usage.cacheRead + usage.cacheWrite;
}

/** Cost of one call in US dollars; null when the price is unknown ("unpriced", never 0). */
export function costOf(usage: Usage, price: Price | null): number | null {
  if (price === null) return null;
  const rates = ratesFor(promptTokensOf(usage), price);
  const perToken = 1e-6;
  return (
    (usage.freshInput * rates.input +
      usage.cacheRead * (rates.cacheRead ?? rates.input) +
      usage.cacheWrite * (rates.cacheWrite ?? rates.input) +
      usage.output * rates.output) *
      perToken +
    (price.perCall ?? 0)
  );
}

/**
 * The most that a call can cost: the whole prompt in its most expensive bucket, the longest answer, and the highest
 * rates that apply to the prompt. Null when the price is unknown.
 */
export function worstCostOf(promptTokens: number, maxOutputTokens: number, price: Price | null): number | null {
  if (price === null) return null;
  const tiers = (price.tiers ?? []).filter(({ above }) => promptTokens > above);
  const costs = [price, ...tiers].map((rates) => promptTokens * dearestInput(rates) + maxOutputTokens * rates.output);
  return Math.max(...costs) * 1e-6 + (price.perCall ?? 0);
}

/** The highest rate at which a token of a prompt can be billed. */
export function dearestInput({ input, cacheRead, cacheWrite }: Rates): number {
  return Math.max(input, cacheRead ?? 0, cacheWrite ?? 0);
}

/** The rates for a prompt of this size. */
export function ratesFor(promptTokens: number, price: Price): Rates {
  return price.tiers?.findLast(({ above }) => promptTokens > above) ?? price;
}

export function addUsage(left: Usage, right: Usage): Usage {
  return {
    freshInput: left.freshInput + right.freshInput,
    cacheRead: left.cacheRead + right.cacheRead,
    cacheWrite: left.cacheWrite + right.cacheWrite,
    output: left.output + right.output,
    reasoning: left.reasoning + right.reasoning,
    estimated: left.estimated || right.estimated,
  };
}
