import { type } from '@orpc/contract';
import { z } from 'zod';
import { base } from './contract-base.ts';
import { messageSchema } from '@shared/models/model-messages.ts';
import { effortSchema } from '@shared/models/model-info.ts';
import type { StopReason } from '@shared/events/call-events.ts';
import type { AgainPush, ExpectedAgain } from '@shared/comparisons/asked-again.ts';
import type { Usage } from '@shared/money/token-cost.ts';

/** A program that may ask models through the endpoint. This never holds its key. */
export interface EndpointClient {
  readonly name: string;
  /** False: it may only use models that keep its data on this machine. */
  readonly mayLeave: boolean;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/** A model that a client may name. */
export interface EndpointModel {
  readonly id: string;
  readonly label: string;
  readonly contextTokens: number | null;
}

const toolChoiceSchema = z.union([z.enum(['auto', 'none', 'required']), z.object({ name: z.string() })]);

/** One request from a client, in the same form for every API. Null: the model's default. */
export const endpointCallSchema = z.object({
  /** `PROVIDER/MODEL`, `dewpoint/local` or `dewpoint/hybrid`. */
  model: z.string().min(1).max(300),
  messages: z.array(messageSchema).min(1).max(10_000),
  tools: z
    .array(z.object({ name: z.string(), description: z.string(), inputSchema: z.record(z.string(), z.unknown()) }))
    .max(512),
  toolChoice: toolChoiceSchema,
  /** A JSON Schema that the answer must match; null: free text. */
  schema: z.record(z.string(), z.unknown()).nullable(),
  stop: z.array(z.string().min(1)).max(16),
  temperature: z.number().min(0).max(2).nullable(),
  topP: z.number().min(0).max(1).nullable(),
  seed: z.number().int().nullable(),
  maxOutputTokens: z.number().int().positive().nullable(),
  effort: effortSchema.nullable(),
});
export type EndpointCall = z.infer<typeof endpointCallSchema>;

/** Texts for an embedding or reranking model. `query`: score the texts against it; null: turn them into vectors. */
const endpointTextsSchema = z.object({
  model: z.string().min(1).max(300),
  texts: z.array(z.string().min(1)).min(1).max(2_048).readonly(),
  query: z.string().min(1).nullable(),
});
export type EndpointTexts = z.infer<typeof endpointTextsSchema>;

/**
 * `rows` has one entry for each text, in order: 32-bit floats in base64, either a vector of length 1 or one score from
 * 0 to 1.
 */
export type TextsRead =
  | { readonly ok: true; readonly model: string; readonly rows: readonly string[]; readonly tokens: number }
  | { readonly ok: false; readonly failure: EndpointFailure };

/** Why a client got no answer, or only a part of it. */
export interface EndpointFailure {
  readonly code:
    | 'wrong-key'
    | 'unknown-model'
    | 'not-allowed'
    | 'fenced'
    | 'limit'
    | 'bad-request'
    | 'too-long'
    | 'busy'
    | 'rate-limit'
    | 'unavailable'
    | 'failed';
  readonly message: string;
  /** How long the service asks to wait before the next try. */
  readonly retryAfterMs?: number;
}

/** What a client gets of an answer, in order. The last push is exactly one `ended` or `failed`. */
export type EndpointPush =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** Always a complete call. */
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: 'ended';
      /** The model that answered, `PROVIDER/MODEL`. */
      readonly model: string;
      readonly stopReason: StopReason;
      readonly usage: Usage;
      readonly costUsd: number | null;
      /** Without the time in the engine's queue. */
      readonly seconds: number;
    }
  /** `costUsd`: what a call cost that gave no answer; null: unknown. Absent: no call was made. */
  | ({ readonly type: 'failed'; readonly costUsd?: number | null } & EndpointFailure);

export type CountedPrompt =
  | { readonly ok: true; readonly tokens: number; readonly isEstimate: boolean }
  | { readonly ok: false; readonly failure: EndpointFailure };

const key = z.string().min(1).max(200);
const clientName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,39}$/, 'A name has up to 40 of a-z, 0-9, dot, dash and underscore.');

const againInput = z.object({
  /** These sessions, or one call of a single one, or what all sessions asked since then, in milliseconds since 1970. */
  which: z.union([
    z.strictObject({
      sessionIds: z.array(z.string().min(1).max(200)).min(1).max(10_000),
      callId: z.string().min(1).max(200).optional(),
    }),
    z.strictObject({ since: z.number().nonnegative() }),
  ]),
  model: z.string().min(1).max(300),
  /** Resumes what was cut: what this model answered before is not asked again. */
  isResuming: z.boolean().default(false),
});
export type AgainInput = z.infer<typeof againInput>;

/** Models for other programs: what they may ask, and their keys. They come in through `hosts/api`. */
export const endpointContract = {
  /** Whether a client has this key. Asked before anything of a call is read. */
  knows: base.input(z.object({ key })).output(type<boolean>()),
  /** The models that a client may name. Null: no client has this key. */
  models: base.input(z.object({ key })).output(type<readonly EndpointModel[] | null>()),
  /** Stops when the client stops listening. An error is the last push. */
  answer: base.input(z.object({ key, call: endpointCallSchema })).output(type<AsyncIterable<EndpointPush>>()),
  /**
   * Counts the prompt tokens of a call without making it; nothing leaves this machine. `isEstimate`: the model cannot
   * count.
   */
  count: base.input(z.object({ key, call: endpointCallSchema })).output(type<CountedPrompt>()),
  /**
   * Asks another model each recorded request of sessions, one after the other. Nothing is run and no file is touched:
   * what the model calls is only compared. `maxUsd`: the most that all of it may cost, in US dollars. A session that
   * fails does not stop the others. How each answer compares is kept beside its session, so that a cut replay can be resumed.
   */
  askAgain: base
    .input(againInput.extend({ maxUsd: z.number().nonnegative().nullable() }))
    .output(type<AsyncIterable<AgainPush>>()),
  /** What `askAgain` would ask, and its price for as many tokens as were recorded. Asks no model. */
  expectAgain: base.input(againInput).output(type<ExpectedAgain>()),
  /** Vectors or scores of texts. */
  readTexts: base.input(z.object({ key, texts: endpointTextsSchema })).output(type<TextsRead>()),
  clients: base.output(type<readonly EndpointClient[]>()),
  /** Only this answer holds the key; Dewpoint keeps its hash. */
  addClient: base
    .input(z.object({ name: clientName, mayLeave: z.boolean().default(false) }))
    .output(type<{ readonly client: EndpointClient; readonly key: string }>()),
  /** Also ends its running calls. */
  removeClient: base.input(z.object({ name: z.string().min(1).max(100) })).output(type<void>()),
};
