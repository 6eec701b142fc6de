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

/** US dollars per million tokens, by bucket. Source and date say where the price comes from. */
export const priceSchema = z.object({
  input: z.number().nonnegative(),
  cacheRead: z.number().nonnegative().optional(),
  cacheWrite: z.number().nonnegative().optional(),
  output: z.number().nonnegative(),
  source: z.string(),
  date: z.string(),
});
export type Price = z.infer<typeof priceSchema>;

/** Prompt tokens of a call: the three input buckets together. */
export function promptTokensOf(usage: Usage): number {
  return usage.freshInput + usage.cacheRead + usage.cacheWrite;
}

/** Cost in US dollars of one call; null when the price is not known ("unpriced", never 0). */
export function costOf(usage: Usage, price: Price | null): number | null {
  if (price === null) return null;
  const perToken = 1e-6;
  return (
    (usage.freshInput * price.input +
      usage.cacheRead * (price.cacheRead ?? price.input) +
      usage.cacheWrite * (price.cacheWrite ?? price.input) +
      usage.output * price.output) *
    perToken
  );
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
