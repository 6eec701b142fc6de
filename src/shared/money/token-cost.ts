import { z } from 'zod';

/** Four disjoint buckets of tokens of one model call; `reasoning` is a part of `output`, shown apart. */
export const usageSchema = z.object({
  freshInput: z.number().int().nonnegative(),
  cacheRead: z.number().int().nonnegative(),
  cacheWrite: z.number().int().nonnegative(),
  output: z.number().int().nonnegative(),
  reasoning: z.number().int().nonnegative().default(0),
  /** True when the provider gave no numbers and these were counted or estimated by us. */
  estimated: z.boolean().default(false),
});
export type Usage = z.infer<typeof usageSchema>;

export const noUsage: Usage = { freshInput: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0, estimated: false };

/** US dollars per million tokens, by bucket. A cache price that is absent is that of fresh input. */
const ratesSchema = z.object({
  input: z.number().nonnegative(),
  cacheRead: z.number().nonnegative().optional(),
  cacheWrite: z.number().nonnegative().optional(),
  output: z.number().nonnegative(),
});
type Rates = z.infer<typeof ratesSchema>;

/** What a model costs. Source and date say where the price comes from. */
export const priceSchema = ratesSchema.extend({
  source: z.string(),
  date: z.string(),
  /**
   * Dearer rates of long prompts: a call whose prompt has more than `above` tokens is billed by them as a whole.
   * In rising order.
   */
  tiers: z.array(ratesSchema.extend({ above: z.number().int().nonnegative() })).optional(),
  /** US dollars for the call itself, whatever its tokens. */
  perCall: z.number().nonnegative().optional(),
});
export type Price = z.infer<typeof priceSchema>;

/** Prompt tokens of a call: the three input buckets together. */
export function promptTokensOf(usage: Usage): number {
  return usage.freshInput + usage.cacheRead + usage.cacheWrite;
}

/** Cost in US dollars of one call; null when the price is not known ("unpriced", never 0). */
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
 * The most that a call can cost: the whole prompt in its dearest bucket, the answer at its longest, by the dearest
 * rates that its prompt can fall under. Null when the price is not known.
 */
export function worstCostOf(promptTokens: number, maxOutputTokens: number, price: Price | null): number | null {
  if (price === null) return null;
  const tiers = (price.tiers ?? []).filter(({ above }) => promptTokens > above);
  const costs = [price, ...tiers].map(
    (rates) =>
      promptTokens * Math.max(rates.input, rates.cacheRead ?? 0, rates.cacheWrite ?? 0) +
      maxOutputTokens * rates.output,
  );
  return Math.max(...costs) * 1e-6 + (price.perCall ?? 0);
}

/** The rates that a prompt of this size is billed by. */
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
