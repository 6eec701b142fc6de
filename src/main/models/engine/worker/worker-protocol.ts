import { z } from 'zod';
import { timingsSchema } from '@shared/events/call-report.ts';
import { messageSchema } from '@shared/models/model-messages.ts';
import type { CacheType } from '@shared/models/memory-estimate.ts';

const cacheTypeSchema = z.enum(['f16', 'q8_0', 'q4_0'] satisfies readonly CacheType[]);

/**
 * What the app and the engine's process say to each other, as JSON over Node's IPC. Both sides parse what they get.
 * Every request has an `id`; every request but `abort` and `ping` is answered exactly once with that id
 * (`loaded`, `downloaded`, `measured`, `seen`, `counted`, `embedded`, `ended`, `stats` or `failed`), `delta` and `progress` come before.
 */
const loadOptionsSchema = z.object({
  modelPath: z.string(),
  /** Tokens that one sequence can hold. */
  contextTokens: z.number().int().positive(),
  /** How many conversations keep their tokens at the same time; fewer are made where memory is short. */
  sequences: z.number().int().positive(),
  /** Null: the physical cores that this process may use. */
  threads: z.number().int().positive().nullable(),
  gpu: z.enum(['auto', 'off']),
  /** Layers on the cards as they are planned, the output counted as one; null: as many as the engine finds room for. */
  gpuLayers: z.number().int().nonnegative().nullable(),
  /** Of what the cells of a sequence are made. */
  cacheType: cacheTypeSchema,
  /** A LoRA adapter that changes its weights; absent: none. */
  adapterPath: z.string().optional(),
  /** Where states of sequences may be kept; null keeps none. */
  stateDir: z.string().nullable(),
  /** A model that answers nothing: it makes vectors of texts, or scores for them. Absent: it answers. */
  use: z.enum(['vectors', 'scores']).optional(),
});
export type LoadOptions = z.infer<typeof loadOptionsSchema>;

/** A context as it would be made, of a file that is only looked at. */
const dryRunSchema = z.object({
  modelPath: z.string(),
  /** Tokens of one sequence. */
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
  /** Seeds with which the same is asked next: these answers may be written beside this one. Only of free text. */
  also: z.array(z.number()).readonly().optional(),
  maxOutputTokens: z.number().int().positive(),
  cacheKey: z.string(),
  /** The prompt is read and nothing is answered. */
  onlyPrompt: z.boolean().optional(),
  /** Half of the threads: the machine is under strain. */
  isSlow: z.boolean().optional(),
  /** It thinks before it answers, `mostTokens` at most; they are a part of `maxOutputTokens`. Absent: it does not. */
  thinking: z.object({ effort: z.enum(['low', 'medium', 'high']), mostTokens: z.number().int().positive() }).optional(),
});
export type EngineRequest = z.infer<typeof engineRequestSchema>;

/** Texts for a model that was loaded with a `use`. `query`: what they are scored for; null: they become vectors. */
const embedRequestSchema = z.object({ query: z.string().nullable(), texts: z.array(z.string()).readonly() });
export type EmbedRequest = z.infer<typeof embedRequestSchema>;

const id = z.number().int();

export const toWorkerSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('load'), id, options: loadOptionsSchema }),
  z.object({ type: z.literal('generate'), id, request: engineRequestSchema }),
  z.object({ type: z.literal('count'), id, request: engineRequestSchema }),
  z.object({ type: z.literal('embed'), id, request: embedRequestSchema }),
  /** Fetches a model file by URI (`hf:…` or an address); what is there of it is gone on with. */
  z.object({
    type: z.literal('download'),
    id,
    uri: z.string(),
    path: z.string(),
    /** A proxy and a file of certificates; null: as the environment says. */
    connection: z.object({ proxy: z.string().nullable(), certificates: z.string().nullable() }),
  }),
  /** What a context would take, by the engine's own dry run; loads and allocates nothing. */
  z.object({ type: z.literal('measure'), id, context: dryRunSchema }),
  /** The cards that the engine itself sees, and their memory now. */
  z.object({ type: z.literal('cards'), id }),
  z.object({ type: z.literal('stats'), id }),
  z.object({ type: z.literal('abort'), id }),
  z.object({ type: z.literal('ping'), id }),
]);
export type ToWorker = z.infer<typeof toWorkerSchema>;

/** Bytes, of all cards together. */
const cardsSeenSchema = z.object({
  backend: z.enum(['cuda', 'vulkan', 'metal']),
  names: z.array(z.string()),
  totalBytes: z.number().nonnegative(),
  freeBytes: z.number().nonnegative(),
  /** The part of them that is the host's memory, too. */
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
  /** The process ended with it; absent: it said so itself and goes on. */
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
  /** Its thoughts are given back with the next prompt. Absent: they are not. */
  keepsThoughts: z.boolean().optional(),
  /** Weights, context and buffers by the engine's own account; null where it did not give one. */
  observedBytes: z.number().nullable().default(null),
  loadMs: z.number(),
});
export type LoadedModel = z.infer<typeof loadedModelSchema>;

const generationSchema = z.object({
  stopReason: z.enum(['stop', 'length', 'repetition', 'stop-sequence', 'cancelled', 'error']),
  promptTokens: z.number().int(),
  /** Prompt tokens that went through the model in this call; the rest was kept from before. */
  evaluatedTokens: z.number().int(),
  outputTokens: z.number().int(),
  prefillMs: z.number().nullable(),
  decodeMs: z.number().nullable(),
  /** Tokens that `decodeMs` is the time of, where answers were written side by side; absent: this one's without its first. */
  decodedTokens: z.number().int().optional(),
  /** Those of the output that were thoughts; absent: none. */
  thoughtTokens: z.number().int().optional(),
  counted: timingsSchema.shape.counted,
  /** Of each token of a choice, as natural logarithms; other answers have none, for they cost a fifth of the speed. */
  logprobs: z.array(z.number()).optional(),
  error: engineErrorSchema.nullable(),
});
export type Generation = z.infer<typeof generationSchema>;

const engineStatsSchema = z.object({
  /** Since the process started. */
  promptTokens: z.number(),
  evaluatedTokens: z.number(),
  /** Evaluated although some kept sequence or state had them as its prefix. */
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
  /** Cells, states and compute buffer; no weights. */
  z.object({ type: z.literal('measured'), id, contextBytes: z.number() }),
  /** Null: it computes on the processor. */
  z.object({ type: z.literal('seen'), id, cards: cardsSeenSchema.nullable() }),
  z.object({ type: z.literal('counted'), id, tokens: z.number().int() }),
  /** A row for each text, in their order: 32-bit numbers as base64. */
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
