import type { Message, ReasoningPart, ToolCallPart } from '@shared/models/model-messages.ts';
import type { Effort, ModelInfo } from '@shared/models/model-info.ts';
import type { Usage } from '@shared/money/token-cost.ts';
import type { EngineReport, Timings } from '@shared/events/call-report.ts';
import type { z } from 'zod';
import type { FileToAdd } from '../files/stored-model.ts';
import type { ModelFacts } from '../memory/estimate/model-memory.ts';
import type { Card } from '../memory/memory-plan.ts';
import type { CutCall, StopReason } from '@shared/events/call-events.ts';
import type { ModelRepair, PullProgress } from '@shared/contract/models-contract.ts';

/** A tool as it is described to a model. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** The required form of an answer, for models that can be held to it. */
export type OutputForm =
  | { readonly type: 'text' }
  /** JSON that matches the schema. The provider enforces it (`capabilities.grammar`). */
  | { readonly type: 'json-schema'; readonly schema: Readonly<Record<string, unknown>> }
  /** Exactly one of these strings. */
  | { readonly type: 'choice'; readonly options: readonly string[] }
  /** Zero or more calls of `tools`, the arguments enforced by a grammar. */
  | { readonly type: 'tool-calls' };

/** One complete model call: nothing else reaches the model. It goes into the log unchanged. */
export interface ModelRequest {
  /** The name without the provider. */
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly output: OutputForm;
  /** Text with which the answer begins. The deltas do not repeat it. Only with `capabilities.prefill`. */
  readonly prefill: string | null;
  readonly stop: readonly string[];
  /** 0 means greedy. */
  readonly temperature: number;
  readonly topP: number;
  /** A person set temperature or `topP` for this model, so a service that is not known is sent them, too. */
  readonly isSamplingChosen?: true;
  readonly seed: number | null;
  readonly maxOutputTokens: number;
  /** Calls with the same key share a prefix; the engine keeps its tokens between them. */
  readonly cacheKey: string;
  /** Absent: the model's own default. Only with `capabilities.reasoning`. */
  readonly effort?: Effort;
  /** The most tokens of one picture, for estimates. Absent: not known. */
  readonly imageTokens?: number;
  /**
   * How to draft tokens ahead, for a probe that compares ways: one of `drafting.ways`, or `off`. Absent: as settings
   * and probe say.
   */
  readonly drafts?: string;
}

/** The last part is `ended`, and there is exactly one. */
export type StreamPart =
  | {
      readonly type: 'progress';
      readonly phase: 'waiting' | 'loading' | 'prefill' | 'decode';
      readonly done: number;
      readonly total: number | null;
      /** How long the first word may take, in milliseconds. Absent: not known. */
      readonly limitMs?: number;
    }
  /** `pieces` is the number of tokens that came together. Absent: one. */
  | { readonly type: 'text-delta'; readonly text: string; readonly pieces?: number }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  /** All text since the last block was reasoning: its closing mark came without the opening one. */
  | { readonly type: 'text-was-thought' }
  /** A finished block of reasoning, after its deltas. Its service wants it back in later requests (`by`, `state`). */
  | { readonly type: 'reasoning'; readonly part: ReasoningPart }
  /** Always a complete call. A stream that is cut inside a call yields none for it. */
  | { readonly type: 'tool-call'; readonly call: ToolCallPart }
  | StreamEnded;

export interface StreamEnded {
  readonly type: 'ended';
  readonly stopReason: StopReason;
  readonly usage: Usage;
  readonly evaluatedTokens: number | null;
  readonly timings: Timings;
  readonly error: ProviderError | null;
  /** How the engine of this machine loaded the model. Absent for every other provider. */
  readonly engine?: EngineReport;
  /**
   * The natural logarithm of each answer token's probability, in order. Absent if the provider does not give them.
   */
  readonly logprobs?: readonly number[];
  /** A tool call that the length limit cut, so that it did not run. Absent: none was. */
  readonly cutCall?: CutCall;
  /** The name of the model that answered, as the service reports it. Absent if it does not. */
  readonly model?: string;
}

export interface PrefillResult {
  readonly promptTokens: number | null;
  /** Tokens that were read now and not taken from the prompt cache. Null: unknown. */
  readonly evaluatedTokens: number | null;
  /** Null if it went well, or was aborted. */
  readonly error: string | null;
}

/**
 * Texts for a model that produces vectors or scores instead of answers. With `query`, each text gets a score for it.
 * If it is null, each text becomes a vector.
 */
export interface TextsRequest {
  readonly model: string;
  readonly texts: readonly string[];
  readonly query: string | null;
}

/**
 * `rows` has one entry for each text, in order: a vector of length 1, or one score between 0 and 1, as 32-bit
 * numbers in base64.
 */
export type TextsReply =
  | { readonly ok: true; readonly rows: readonly string[]; readonly tokens: number; readonly timings: Timings }
  | { readonly ok: false; readonly error: ProviderError; readonly timings: Timings };

export interface ProviderError {
  readonly code:
    | 'rate-limit'
    | 'overloaded'
    | 'auth'
    /** The key could not be read, so nothing was sent. */
    | 'no-key'
    | 'no-credit'
    /** By something between here and the provider, or by law. */
    | 'blocked'
    | 'bad-request'
    | 'context-full'
    | 'network'
    | 'stalled'
    | 'cut'
    | 'engine-lost'
    | 'missing-model'
    | 'bad-model'
    | 'out-of-memory'
    | 'internal';
  readonly message: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number | undefined;
  /** The context size that the service names in its refusal. Absent: it names none. */
  readonly contextTokens?: number | undefined;
}

/** Answers calls of its models. Nothing else of a provider is needed for a call. */
export interface LanguageModel {
  /** The provider's id in the settings. */
  readonly id: string;
  /** Counts the request as it will be sent, template included. Null if it cannot be counted before the call. */
  countTokens(request: ModelRequest, signal: AbortSignal): Promise<number | null>;
  /** Never rejects or throws: a failure is an `ended` part with an error. Ends within 200 ms of an abort. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<StreamPart>;
  /**
   * Reads a prompt into the model without an answer, so that the next call with the same beginning starts faster.
   * Ends within 200 ms of an abort, and keeps what was read by then. Never rejects. Absent if the provider cannot do
   * it.
   */
  readonly prefill?: (request: ModelRequest, signal: AbortSignal) => Promise<PrefillResult>;
  /** Whether the last request reached the service. Null: no request yet. Absent: the provider needs no network. */
  readonly reach?: () => 'there' | 'away' | null;
}

/** Knows which models there are. */
export interface ModelSource {
  list(signal: AbortSignal): Promise<readonly ModelInfo[]>;
  /**
   * One model by its name, with its memory plan where there is one. It may be missing from the list: a dated or
   * variant name, or any name if the service refused to list (the call then says why). Null: no such model. Rejects
   * if the models cannot be listed and the name is not known either.
   */
  resolve(name: string, signal: AbortSignal): Promise<ModelInfo | null>;
  /**
   * A free request that succeeds only with a valid key. Rejects as `list` does. Absent if listing the models already
   * proves the key.
   */
  readonly tryKey?: (signal: AbortSignal) => Promise<void>;
}

/** A program that runs models on this machine or in this network. */
export interface ModelServer {
  /** Its name and version, and what is wrong with it. Rejects if it does not answer. */
  status(signal: AbortSignal): Promise<{ readonly text: string; readonly complaint: string | null }>;
  /** Whether it is installed on this machine, does not run, and would be started if the settings allowed it. */
  canStart(): Promise<boolean>;
  /** What is needed to plan the memory of a model: its header, and the cards that the server can use. */
  plan(name: string, signal: AbortSignal): Promise<PlannedModel | null>;
}

export interface PlannedModel {
  readonly facts: ModelFacts;
  /** Absent: all cards of this machine. */
  readonly cards?: readonly Card[];
}

/** The models that a server stores. Every operation rejects with what went wrong. */
export interface LocalStore {
  /** Downloads a model from the server's own library. */
  pull(name: string, onProgress: (progress: PullProgress) => void, signal: AbortSignal): Promise<void>;
  /** Returns the bytes freed. Null: no such model. */
  remove(name: string, signal: AbortSignal): Promise<{ readonly bytes: number } | null>;
  /** Says what is wrong with a model. Repairs it, by a derived model, only if `apply` is true. */
  repair(name: string, apply: boolean, signal: AbortSignal): Promise<ModelRepair>;
  /** Makes a model from a stored one and a LoRA adapter, of which the server gets a copy. Returns the new name. */
  addAdapter(name: string, request: FileToAdd, signal: AbortSignal): Promise<string>;
}

/** Turns texts into vectors or scores. Never rejects. */
export type ReadTexts = (request: TextsRequest, signal: AbortSignal) => Promise<TextsReply>;

/**
 * What a definition makes: something that lists models and answers calls, and the roles that only some have. There
 * can be several configured instances of one kind.
 */
export interface Provider extends LanguageModel, ModelSource {
  readonly server?: ModelServer;
  readonly store?: LocalStore;
  /** Absent if no model of the provider can do it. */
  readonly readTexts?: ReadTexts;
  /** Releases processes and sockets. Safe to call twice. */
  dispose(): Promise<void>;
}

export interface ProviderDefinition<Settings extends z.ZodType = z.ZodType> {
  /** The kind of provider: `llama-cpp`, `openai-compatible`, … */
  readonly kind: string;
  readonly label: string;
  readonly settings: Settings;
  readonly secrets: readonly string[];
  create(
    dependencies: ProviderDependencies,
    instance: { readonly id: string; readonly settings: z.infer<Settings> },
  ): Provider;
}

/** What every provider gets. What only one kind needs is given to its definition: see `local-providers.ts`. */
export interface ProviderDependencies {
  readonly now: () => number;
  /** Sends requests through the proxy and with the certificates of this machine. */
  readonly fetch: typeof fetch;
  /** A secret by name ("apiKey"). Null if it is not set. Never logged. */
  readonly secret: (name: string) => Promise<string | null>;
}

export function defineProvider<Settings extends z.ZodType>(
  definition: ProviderDefinition<Settings>,
): ProviderDefinition<Settings> {
  return definition;
}
