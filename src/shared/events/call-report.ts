import { z } from 'zod';

/** What an engine counted itself of one call: the model alone, without choosing each token and turning it into text. */
const engineCountsSchema = z.object({
  /** Tokens of the prompt that went through the model in pieces of several. */
  readTokens: z.number().int().nonnegative(),
  readMs: z.number().nonnegative(),
  /** Tokens that went through it one by one. */
  writtenTokens: z.number().int().nonnegative(),
  writtenMs: z.number().nonnegative(),
});
export type EngineCounts = z.infer<typeof engineCountsSchema>;

export const timingsSchema = z.object({
  /** Waiting for the one generator; not part of the other figures. Milliseconds, as all of these. */
  queuedMs: z.number().nonnegative(),
  prefillMs: z.number().nonnegative().nullable(),
  decodeMs: z.number().nonnegative().nullable(),
  /** Tokens that `decodeMs` is the time of; absent: all of the answer. The first one comes out of reading the prompt. */
  decodeTokens: z.number().int().nonnegative().optional(),
  totalMs: z.number().nonnegative(),
  /** How long the machine slept meanwhile, which no other figure has in it; absent: it did not. */
  sleptMs: z.number().nonnegative().optional(),
  /** Absent: the engine keeps none apart from the times above. */
  counted: engineCountsSchema.optional(),
});
export type Timings = z.infer<typeof timingsSchema>;

const draftsReportSchema = z.object({
  /** `lookup`, `mtp`, or the model that drafted. */
  way: z.string(),
  /** By the plan, for the draft alone; null: not known. */
  bytes: z.number().nullable(),
  drafted: z.number().int().nonnegative(),
  accepted: z.number().int().nonnegative(),
});

/** How the model of a call was loaded by the engine of this machine. Tokens of one conversation; bytes. */
export const engineReportSchema = z.object({
  /** `cpu`, or the kind of card that is really used. */
  backend: z.string(),
  askedTokens: z.number().int(),
  /** By the plan for this machine's memory. */
  grantedTokens: z.number().int(),
  /** What the engine really made. */
  contextTokens: z.number().int(),
  sequences: z.number().int(),
  /** The LoRA adapter on it, by the digest of its file; absent: none. */
  adapter: z.object({ name: z.string(), sha256: z.string() }).optional(),
  /** How tokens were drafted ahead, and how many of them the model would have written, too; absent: none were. */
  drafts: draftsReportSchema.optional(),
  predictedBytes: z.number().nullable(),
  /** What it really takes, where its server says; absent or null: nobody does. */
  observedBytes: z.number().nullable().optional(),
  /** A name for each thing that is not as it was planned. */
  findings: z.array(z.string()).optional(),
  /** Models of other engines of this machine that gave their memory back for this load. */
  unloaded: z.array(z.string()).optional(),
  /** Why it is not what was asked for, or not where it was expected; null where it is. */
  why: z.string().nullable(),
});
export type EngineReport = z.infer<typeof engineReportSchema>;

/** The electricity of one call, and what it was known by: a meter in the machine, or the watts of the settings. */
export const energySchema = z.object({
  wattHours: z.number().nonnegative(),
  /** `rapl`, `nvidia-smi`: measured, with all else that ran meanwhile. `settings`: the watts there times the time. */
  source: z.enum(['rapl', 'nvidia-smi', 'rapl + nvidia-smi', 'settings']),
  /** US dollars by the price of that day; null: none was set. */
  usd: z.number().nonnegative().nullable(),
});
export type Energy = z.infer<typeof energySchema>;

/** How sure a model was of the tokens of its answer, where its provider gives log-probabilities: the lowest shares of their log-probabilities (natural logarithms). */
export const surenessSchema = z.object({
  tokens: z.number().int().positive(),
  least: z.number(),
  /** A tenth, and a quarter, of the tokens were at most as likely as this. */
  tenth: z.number(),
  quarter: z.number(),
});
export type Sureness = z.infer<typeof surenessSchema>;

/** Null: there are none to say it by. Sums and means grow with the length of an answer; these do not. */
export function surenessOf(logprobs: readonly number[] | undefined): Sureness | null {
  const known = (logprobs ?? []).filter((value) => Number.isFinite(value)).sort((left, right) => left - right);
  const at = (share: number): number => known[Math.min(known.length - 1, Math.floor(known.length * share))] ?? 0;
  return known.length === 0 ? null : { tokens: known.length, least: at(0), tenth: at(0.1), quarter: at(0.25) };
}

/** The conversation was read into the local model while a service worked, so that it can go on at once when the conversation comes back. */
export const prefillReportSchema = z.object({
  model: z.string(),
  outcome: z.enum(['done', 'cancelled', 'failed']),
  promptTokens: z.number().int().nullable(),
  /** Read anew; the rest was there from before. */
  evaluatedTokens: z.number().int().nullable(),
  tookMs: z.number().nonnegative(),
  /** Why it was done, or what went wrong. */
  text: z.string(),
});
