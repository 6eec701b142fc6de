import { z } from 'zod';
import { priceSchema } from './money.ts';

export const SETTINGS_VERSION = 1;

/** A configured endpoint that speaks Chat Completions. Its key is never here. */
export const openaiCompatibleSchema = z.strictObject({
  kind: z.literal('openai-compatible'),
  baseUrl: z.url(),
  label: z.string().optional(),
  /** `local` for a server on this machine that costs nothing per token. */
  where: z.enum(['local', 'cloud']).default('cloud'),
  /** The environment variable that holds the key, where there is one. Read, never written. */
  keyVariable: z.string().optional(),
  models: z
    .record(
      z.string(),
      z.strictObject({
        price: priceSchema.optional(),
        context: z.number().int().positive().optional(),
        parametersB: z.number().positive().optional(),
        tools: z.boolean().optional(),
        gears: z.array(z.enum(['recipe', 'loop'])).optional(),
      }),
    )
    .default({}),
});

export const llamaCppSchema = z.strictObject({
  kind: z.literal('llama-cpp'),
  contextTokens: z.number().int().positive().optional(),
  threads: z.number().int().positive().optional(),
  gpu: z.enum(['auto', 'off']).default('auto'),
});

/** One answer of a scripted model: text, tool calls, or a failure; in order, one a call. */
const scriptedReplySchema = z.strictObject({
  text: z.string().optional(),
  toolCalls: z.array(z.strictObject({ name: z.string(), input: z.unknown() })).optional(),
  error: z.string().optional(),
  delayMs: z.number().nonnegative().optional(),
});

/** Plays back answers written beforehand; for tests and recorded demonstrations, no model behind it. */
export const scriptedSchema = z.strictObject({
  kind: z.literal('scripted'),
  replies: z.array(scriptedReplySchema),
  /** Begins again at the end instead of failing. */
  repeat: z.boolean().default(false),
  tools: z.boolean().default(true),
  gears: z.array(z.enum(['recipe', 'loop'])).default(['loop']),
});

export const providerSettingsSchema = z.discriminatedUnion('kind', [
  openaiCompatibleSchema,
  llamaCppSchema,
  scriptedSchema,
]);
export type ProviderSettings = z.infer<typeof providerSettingsSchema>;

const cap = z.number().nonnegative().nullable().default(null);

/** A price without its source and date: those are the settings, and the day it is used. */
const ownPriceSchema = priceSchema.omit({ source: true, date: true }).strict();

export const settingsSchema = z.strictObject({
  version: z.literal(SETTINGS_VERSION).default(SETTINGS_VERSION),
  policy: z.enum(['local', 'hybrid', 'cloud']).default('local'),
  local: z.string().default('llama-cpp/qwen2.5-coder-1.5b-instruct'),
  cloud: z.string().nullable().default(null),
  providers: z.record(z.string().regex(/^[a-z0-9][a-z0-9._-]*$/), providerSettingsSchema).default({}),
  limits: z
    .strictObject({
      maxSteps: z.number().int().positive().default(40),
      maxMinutes: z.number().positive().default(15),
      maxTokens: z.number().int().positive().default(200_000),
    })
    .prefault({}),
  sandbox: z
    .strictObject({
      image: z.string().nullable().default(null),
      memoryMb: z.number().int().min(256).default(2048),
      cpus: z.number().positive().nullable().default(null),
      pids: z.number().int().min(64).default(512),
      commandTimeoutSeconds: z.number().positive().default(120),
    })
    .prefault({}),
  approve: z.enum(['ask', 'deny', 'allow']).default('ask'),
  /** Caps on money in US dollars; null: none. A task's own cap is `--max-usd`. Days and months by this machine's calendar. */
  budget: z.strictObject({ step: cap, task: cap, session: cap, project: cap, day: cap, month: cap }).prefault({}),
  /** Prices of a person's own, by `PROVIDER/MODEL`; they go before every other. */
  prices: z.record(z.string(), ownPriceSchema).default({}),
  /** Graphics cards that are not found, or not rightly; they count instead of whatever is found. Bytes. */
  cards: z
    .array(
      z.strictObject({
        name: z.string(),
        totalBytes: z.number().int().positive(),
        freeBytes: z.number().int().nonnegative().optional(),
      }),
    )
    .default([]),
});
export type Settings = z.infer<typeof settingsSchema>;
