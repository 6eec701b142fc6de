import { z } from 'zod';
import { timingsSchema } from '@shared/events/call-report.ts';
import { messageSchema } from '@shared/models/model-messages.ts';
import { sentLineSchema } from '../../../lib/net/sent-line.ts';
import type { CacheType } from '@shared/models/memory-estimate.ts';

const cacheTypeSchema = z.enum(['f16', 'q8_0', 'q4_0'] satisfies readonly CacheType[]);

/**
 * The messages between the app and the engine's process, as JSON over Node's IPC. Both sides parse what they get.
 * Every request has an `id`. Every request except `abort` and `ping` gets exactly one final answer with that id
 * (`loaded`, `downloaded`, `measured`, `seen`, `counted`, `embedded`, `ended`, `stats` or `failed`). `delta` and
 * `progress` come before it.
 */
const loadOptionsSchema = z.object({
  modelPath: z.string(),
  /** The tokens that one sequence can hold. */
  contextTokens: z.number().int().positive(),
  /** How many conversations keep their tokens at the same time. There may be fewer if memory is short. */
  sequences: z.number().int().positive(),
  /** Null: the physical cores that this process may use. */
  threads: z.number().int().positive().nullable(),
  gpu: z.enum(['auto', 'off']),
  /**
   * The planned number of layers on the cards, where the output counts as one. Null: as many as the engine finds
   * room for.
   */
  gpuLayers: z.number().int().nonnegative().nullable(),
  /** The type of the cells in a sequence. */
  cacheType: cacheTypeSchema,
  /** A LoRA adapter on the model. Absent: none. */
  adapterPath: z.string().optional(),
  /** The folder for states of sequences. Null: none are kept. */
  stateDir: z.string().nullable(),
  /** For a model that makes vectors or scores. Absent: it answers. */
  use: z.enum(['vectors', 'scores']).optional(),
});
export type LoadOptions = z.infer<typeof loadOptionsSchema>;

/** A planned context for a file that is not loaded. */
const dryRunSchema = z.object({
  modelPath: z.string(),
  /** The tokens of one sequence. */
  contextTokens: z.number().int().positive(),
  sequences: z.number().int().positive(),
  batchTokens: z.number().int().positive(),
  flashAttention: z.boolean(),
  cacheType: cacheTypeSchema,
});
export type DryRun = z.infer<typeof dryRunSchema>;

const schemaObject = z.record(z.string(), z.unknown());

const engineOutputSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json-schema'), schema: schemaObject }),
  z.object({ type: z.literal('choice'), options: z.array(z.string()).min(1) }),
  /** One `{"tool": …, "input": …}` object for one of these tools. */
  z.object({
    type: z.literal('tool-call'),
    tools: z.array(z.object({ name: z.string(), inputSchema: schemaObject })).min(1),
  }),
]);
export type EngineOutput = z.infer<typeof engineOutputSchema>;

const engineRequestSchema = z.object({
  messages: z.array(messageSchema),
  output: engineOutputSchema,
  prefill: z.string().nullable(),
  stop: z.array(z.string()),
  temperature: z.number().nonnegative(),
  topP: z.number().min(0).max(1),
  seed: z.number().nullable(),
  maxOutputTokens: z.number().int().positive(),
  cacheKey: z.string(),
  /** Only reads the prompt, without an answer. */
  onlyPrompt: z.boolean().optional(),
  /** Uses half of the threads, because the machine is under strain. */
  isSlow: z.boolean().optional(),
  /**
   * The model thinks before it answers, with at most `mostTokens`, which are a part of `maxOutputTokens`. Absent: no
   * thinking.
   */
  thinking: z.object({ effort: z.enum(['low', 'medium', 'high']), mostTokens: z.number().int().positive() }).optional(),
});
export type EngineRequest = z.infer<typeof engineRequestSchema>;

/**
 * Texts for a model that was loaded with a `use`. With `query`, each text gets a score for it. If it is null, each
 * text becomes a vector.
 */
const embedRequestSchema = z.object({
  query: z.string().nullable(),
  texts: z.array(z.string()).readonly(),
  /** The end of a text that is too long is left out. Absent: such a text is refused. */
  isCut: z.boolean().optional(),
});
export type EmbedRequest = z.infer<typeof embedRequestSchema>;

const id = z.number().int();

export const toWorkerSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('load'), id, options: loadOptionsSchema }),
  z.object({ type: z.literal('generate'), id, request: engineRequestSchema }),
  z.object({ type: z.literal('count'), id, request: engineRequestSchema }),
  z.object({ type: z.literal('embed'), id, request: embedRequestSchema }),
  /** Downloads a model file by URI (`hf:…` or an address). Resumes a partial download. */
  z.object({
    type: z.literal('download'),
    id,
    uri: z.string(),
    path: z.string(),
    /** A proxy and a certificate file. Null: from the environment. */
    connection: z.object({ proxy: z.string().nullable(), certificates: z.string().nullable() }),
    /** On whose behalf, for the record of sends. */
    why: sentLineSchema.shape.why.optional(),
  }),
  /** Measures the memory of a context by the engine's own dry run. Loads and allocates nothing. */
  z.object({ type: z.literal('measure'), id, context: dryRunSchema }),
  /** The cards that the engine sees, and their memory now. */
  z.object({ type: z.literal('cards'), id }),
  z.object({ type: z.literal('stats'), id }),
  z.object({ type: z.literal('abort'), id }),
  z.object({ type: z.literal('ping'), id }),
]);
export type ToWorker = z.infer<typeof toWorkerSchema>;

/** Bytes, summed over all cards. */
const cardsSeenSchema = z.object({
  backend: z.enum(['cuda', 'vulkan', 'metal']),
  names: z.array(z.string()),
  totalBytes: z.number().nonnegative(),
  freeBytes: z.number().nonnegative(),
  /** The part that is also the host's memory. */
  sharedBytes: z.number().nonnegative(),
});
export type EngineCards = z.infer<typeof cardsSeenSchema>;

const engineErrorSchema = z.object({
  code: z.enum([
    'bad-request',
    'context-full',
    'bad-model',
    'missing-model',
    'out-of-memory',
    'engine-lost',
    'network',
    'cancelled',
    'internal',
  ]),
  message: z.string(),
  /** The process ended with this error. Absent: the process reported it and goes on. */
  isProcessGone: z.boolean().optional(),
});
export type EngineError = z.infer<typeof engineErrorSchema>;

const loadedModelSchema = z.object({
  contextTokens: z.number().int(),
  sequences: z.number().int(),
  threads: z.number().int(),
  /** `cpu`, or the kind of card that the engine really uses. */
  backend: z.string(),
  template: z.enum(['chatml', 'own', 'model']),
  /** Its thoughts are sent back with the next prompt. Absent: they are not. */
  keepsThoughts: z.boolean().optional(),
  /** Weights, context and buffers, as the engine reports them. Null if it does not. */
  observedBytes: z.number().nullable().default(null),
  loadMs: z.number(),
});
export type LoadedModel = z.infer<typeof loadedModelSchema>;

const generationSchema = z.object({
  stopReason: z.enum(['stop', 'length', 'repetition', 'stop-sequence', 'cancelled', 'error']),
  promptTokens: z.number().int(),
  /** The prompt tokens that were computed in this call. The others were cached. */
  evaluatedTokens: z.number().int(),
  outputTokens: z.number().int(),
  prefillMs: z.number().nullable(),
  decodeMs: z.number().nullable(),
  /** The output tokens that were thoughts. Absent: none. */
  thoughtTokens: z.number().int().optional(),
  counted: timingsSchema.shape.counted,
  /** The natural logarithm of each token's probability, for a choice only: they cost a fifth of the speed. */
  logprobs: z.array(z.number()).optional(),
  error: engineErrorSchema.nullable(),
});
export type Generation = z.infer<typeof generationSchema>;

const engineStatsSchema = z.object({
  /** Since the process started. */
  promptTokens: z.number(),
  evaluatedTokens: z.number(),
  /** Tokens that were computed although a kept sequence or state had them as its prefix. */
  evaluatedAgain: z.number(),
  forks: z.number(),
  statesSaved: z.number(),
  statesLoaded: z.number(),
  rssBytes: z.number(),
});
export type EngineStats = z.infer<typeof engineStatsSchema>;

export const downloadErrorSchema = z
  .enum(['network', 'not-found', 'disk-full', 'cancelled', 'internal'])
  .catch('internal');

export const fromWorkerSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('loaded'), id, model: loadedModelSchema }),
  z.object({
    type: z.literal('downloaded'),
    id,
    error: z
      .object({
        code: downloadErrorSchema,
        message: z.string(),
        hint: z.string().optional(),
      })
      .nullable(),
  }),
  /** Cells, states and compute buffer, without weights. */
  z.object({ type: z.literal('measured'), id, contextBytes: z.number() }),
  /** Null: the engine computes on the processor. */
  z.object({ type: z.literal('seen'), id, cards: cardsSeenSchema.nullable() }),
  z.object({ type: z.literal('counted'), id, tokens: z.number().int() }),
  /** A row for each text, in order: 32-bit numbers as base64. */
  z.object({ type: z.literal('embedded'), id, rows: z.array(z.string()), tokens: z.number().int() }),
  z.object({
    type: z.literal('progress'),
    id,
    phase: z.enum(['loading', 'downloading', 'prefill']),
    done: z.number(),
    total: z.number().nullable(),
  }),
  z.object({
    type: z.literal('delta'),
    id,
    text: z.string(),
    tokens: z.number().int(),
    isThought: z.boolean().optional(),
  }),
  z.object({ type: z.literal('ended'), id, generation: generationSchema }),
  z.object({ type: z.literal('stats'), id, stats: engineStatsSchema }),
  z.object({ type: z.literal('failed'), id, error: engineErrorSchema }),
  z.object({ type: z.literal('pong'), id }),
]);
export type FromWorker = z.infer<typeof fromWorkerSchema>;
