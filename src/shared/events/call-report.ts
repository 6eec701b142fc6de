import { z } from 'zod';

/**
 * The engine's own counters for one call. They cover the model alone, without sampling and turning tokens into text.
 */
const engineCountsSchema = z.object({
  /** Tokens of the prompt that the model read in batches. */
  readTokens: z.number().int().nonnegative(),
  readMs: z.number().nonnegative(),
  /** Tokens that the model processed one by one. */
  writtenTokens: z.number().int().nonnegative(),
  writtenMs: z.number().nonnegative(),
});
export type EngineCounts = z.infer<typeof engineCountsSchema>;

export const timingsSchema = z.object({
  /** Time spent waiting for the one generator, in milliseconds like all of these. No other figure includes it. */
  queuedMs: z.number().nonnegative(),
  prefillMs: z.number().nonnegative().nullable(),
  decodeMs: z.number().nonnegative().nullable(),
  /** The tokens that `decodeMs` covers. Absent: the whole answer. The first token comes from reading the prompt. */
  decodeTokens: z.number().int().nonnegative().optional(),
  totalMs: z.number().nonnegative(),
  /** How long the machine slept during the call. No other figure includes it. Absent: it did not sleep. */
  sleptMs: z.number().nonnegative().optional(),
  /** Absent when the engine keeps no counters besides the times above. */
  counted: engineCountsSchema.optional(),
});
export type Timings = z.infer<typeof timingsSchema>;

const draftsReportSchema = z.object({
  /** `lookup`, `mtp`, or the model that drafted. */
  way: z.string(),
  /** Memory planned for the draft alone; null when unknown. */
  bytes: z.number().nullable(),
  drafted: z.number().int().nonnegative(),
  accepted: z.number().int().nonnegative(),
});

/** How this machine's engine loaded the model of a call. Tokens are for one conversation; sizes are in bytes. */
export const engineReportSchema = z.object({
  /** `cpu`, or the kind of card that is really used. */
  backend: z.string(),
  askedTokens: z.number().int(),
  /** What the plan allows in this machine's memory. */
  grantedTokens: z.number().int(),
  /** What the engine really allocated. */
  contextTokens: z.number().int(),
  sequences: z.number().int(),
  /** The LoRA adapter on the model, with the digest of its file. Absent: none. */
  adapter: z.object({ name: z.string(), sha256: z.string() }).optional(),
  /** How tokens were drafted ahead, and how many drafts were accepted. Absent: nothing was drafted. */
  drafts: draftsReportSchema.optional(),
  predictedBytes: z.number().nullable(),
  /** The memory really taken, if the engine's server reports it. Absent or null when it does not. */
  observedBytes: z.number().nullable().optional(),
  /** One code for each way in which the load differs from the plan. */
  findings: z.array(z.string()).optional(),
  /** Models of other engines on this machine that were unloaded to make room for this load. */
  unloaded: z.array(z.string()).optional(),
  /** Why the load differs from what was asked for, or runs in an unexpected place; null when it does not. */
  why: z.string().nullable(),
});
export type EngineReport = z.infer<typeof engineReportSchema>;

/**
 * The electricity of one call, and where the figure comes from: a meter in the machine, or the watts in the settings.
 */
export const energySchema = z.object({
  wattHours: z.number().nonnegative(),
  /**
   * `rapl` and `nvidia-smi` are measured and include everything else that ran. `settings` is the set watts times the
   * time.
   */
  source: z.enum(['rapl', 'nvidia-smi', 'rapl + nvidia-smi', 'settings']),
  /** US dollars at the price of that day; null when no price was set. */
  usd: z.number().nonnegative().nullable(),
});
export type Energy = z.infer<typeof energySchema>;

/**
 * How sure a model was of the tokens in its answer, if its provider gives log-probabilities: the lowest value and two
 * low quantiles (natural logarithms).
 */
export const surenessSchema = z.object({
  tokens: z.number().int().positive(),
  least: z.number(),
  /** A tenth (a quarter) of the tokens were at most as likely as this. */
  tenth: z.number(),
  quarter: z.number(),
});
export type Sureness = z.infer<typeof surenessSchema>;

/** Null when there are no log-probabilities. Sums and means grow with the length of an answer; quantiles do not. */
export function surenessOf(logprobs: readonly number[] | undefined): Sureness | null {
  const known = (logprobs ?? []).filter((value) => Number.isFinite(value)).sort((left, right) => left - right);
  const at = (share: number): number => known[Math.min(known.length - 1, Math.floor(known.length * share))] ?? 0;
  return known.length === 0 ? null : { tokens: known.length, least: at(0), tenth: at(0.1), quarter: at(0.25) };
}

/**
 * Reports that the conversation was read into the local model while a cloud service worked. The model can then go on at
 * once when the conversation returns to it.
 */
export const prefillReportSchema = z.object({
  model: z.string(),
  outcome: z.enum(['done', 'cancelled', 'failed']),
  promptTokens: z.number().int().nullable(),
  /** Tokens that had to be read; the others were still in the cache. */
  evaluatedTokens: z.number().int().nullable(),
  tookMs: z.number().nonnegative(),
  /** Why the prefill was done, or what went wrong. */
  text: z.string(),
});
