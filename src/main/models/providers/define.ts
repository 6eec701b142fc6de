import type { Message, ReasoningPart, ToolCallPart } from '@shared/models/model-messages.ts';
import type { Effort, Strategy, ModelInfo, TextUse } from '@shared/models/model-info.ts';
import type { DraftVerdict } from '@shared/models/probe-card.ts';
import type { Usage } from '@shared/money/token-cost.ts';
import type { EngineReport, Timings } from '@shared/events/call-report.ts';
import type { z } from 'zod';
import type { AdapterOf, FileToAdd } from '../files/stored-model.ts';
import type { LocalEngines } from '../engine/local-engines.ts';
import type { FitsBeside, GrantContext, StepDown } from '../memory/grant-context.ts';
import type { LoadSteps } from '../memory/load-steps.ts';
import type { LlamaEngine } from '../engine/llama-engine.ts';
import type { ModelFacts } from '../memory/estimate/model-memory.ts';
import type { OwnLlamaServer } from '../engine/llama-server/own-llama-server.ts';
import type { OwnOllamaServer } from '../engine/own-ollama-server.ts';
import type { ReadHeader } from '../memory/gguf/gguf-header-reader.ts';
import type { ServerMemoryPlanner } from '../memory/server-memory-planner.ts';
import type { Card } from '../memory/memory-plan.ts';
import type { Strain } from '@shared/models/machine-strain.ts';
import type { StopReason } from '@shared/events/call-events.ts';
import type { ModelRepair, PullProgress } from '@shared/contract/models-contract.ts';

/** A tool as a model is told of it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** What an answer must look like, where the model can be held to it. */
export type OutputForm =
  | { readonly type: 'text' }
  /** JSON that matches the schema; the provider enforces it (`capabilities.grammar`). */
  | { readonly type: 'json-schema'; readonly schema: Readonly<Record<string, unknown>> }
  /** Exactly one of these strings. */
  | { readonly type: 'choice'; readonly options: readonly string[] }
  /** Zero or more calls of `tools`, the arguments enforced by a grammar. */
  | { readonly type: 'tool-calls' };

/** One model call, complete: nothing else reaches the model. It is stored as it is in the log. */
export interface ModelRequest {
  /** The name without the provider. */
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly output: OutputForm;
  /** Opens the answer for the model; the text is not repeated in the deltas. Only with `capabilities.prefill`. */
  readonly prefill: string | null;
  readonly stop: readonly string[];
  /** 0: greedy. */
  readonly temperature: number;
  readonly topP: number;
  readonly seed: number | null;
  /**
   * Seeds with which the very same is asked next. An engine that writes several answers for little more than one may
   * write these beside it, and give them when they are asked for; every other takes no notice.
   */
  readonly also?: readonly number[];
  readonly maxOutputTokens: number;
  /** Calls with the same key share a prefix; the engine keeps its tokens between them. */
  readonly cacheKey: string;
  /** Absent: the model's own default. Only with `capabilities.reasoning`. */
  readonly effort?: Effort;
  /** How tokens are drafted ahead, for a probe that compares: one of `drafting.ways`, or `off`. Absent: as settings and probe say. */
  readonly drafts?: string;
}

/** Exactly one `ended`, last. */
export type StreamPart =
  | {
      readonly type: 'progress';
      readonly phase: 'waiting' | 'loading' | 'prefill' | 'decode';
      readonly done: number;
      readonly total: number | null;
    }
  /** `pieces`: tokens that came as one; absent: one. */
  | { readonly type: 'text-delta'; readonly text: string; readonly pieces?: number }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  /** A block of reasoning that has ended, whose deltas came before, and that its service wants back (`by`, `state`). */
  | { readonly type: 'reasoning'; readonly part: ReasoningPart }
  /** Only ever a whole call: a stream that is cut inside one yields none. */
  | { readonly type: 'tool-call'; readonly call: ToolCallPart }
  | StreamEnded;

export interface StreamEnded {
  readonly type: 'ended';
  readonly stopReason: StopReason;
  readonly usage: Usage;
  readonly evaluatedTokens: number | null;
  readonly timings: Timings;
  readonly error: ProviderError | null;
  /** How the engine of this machine loaded the model; absent for every other provider. */
  readonly engine?: EngineReport;
  /** Of each token of the answer, in their order, as natural logarithms; absent where the provider does not give them. */
  readonly logprobs?: readonly number[];
  /** The model that answered, by its own word; absent where the service does not say. */
  readonly model?: string;
}

export interface Prefilled {
  readonly promptTokens: number | null;
  /** Read anew; null: not known. */
  readonly evaluatedTokens: number | null;
  /** Null: it went well, or was aborted. */
  readonly error: string | null;
}

/** Texts for a model that answers nothing. `query`: what they are scored for; null: they become vectors. */
export interface TextsRequest {
  readonly model: string;
  readonly texts: readonly string[];
  readonly query: string | null;
}

/**
 * `rows`: one for each text, in their order; a vector of length 1, or one score between 0 and 1, as the bytes of 32-bit numbers
 * in base64.
 */
export type TextsReply =
  | { readonly ok: true; readonly rows: readonly string[]; readonly tokens: number; readonly timings: Timings }
  | { readonly ok: false; readonly error: ProviderError; readonly timings: Timings };

export interface ProviderError {
  readonly code:
    | 'rate-limit'
    | 'overloaded'
    | 'auth'
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
}

/** Something that answers model calls. One kind may have many configured instances. */
export interface Provider {
  readonly id: string;
  listModels(signal: AbortSignal): Promise<readonly ModelInfo[]>;
  /** Asks what only a right key is answered, and what costs nothing; rejects as `listModels` does. Absent: its list is such. */
  readonly tryKey?: (signal: AbortSignal) => Promise<void>;
  /**
   * What is known of a model that the list does not name although it can be called: a dated or variant name, or any
   * where the service refused to list (the call then says why). Null: nothing. After `listModels`; never waits.
   */
  readonly knows?: (name: string) => ModelInfo | null;
  /** One model with what it gets of the machine's memory, where `listModels` does not plan for each. Null: not there. */
  readonly find?: (name: string, signal: AbortSignal) => Promise<ModelInfo | null>;
  /** Of a server: what it is, and what is wrong with it. Rejects where it does not answer. */
  readonly status?: (signal: AbortSignal) => Promise<{ readonly text: string; readonly complaint: string | null }>;
  /** Its server is installed on this machine, does not run, and would be started if the settings said so. */
  readonly canStart?: () => Promise<boolean>;
  /** Has the server fetch a model of its own library. Rejects with what went wrong. */
  readonly pull?: (name: string, onProgress: (progress: PullProgress) => void, signal: AbortSignal) => Promise<void>;
  /** What a server says of a model's header, from which its memory is planned. Null: the server has no such model. */
  readonly header?: (name: string, signal: AbortSignal) => Promise<ModelFacts | null>;
  /** The cards that its server can use, in place of those that this machine has. Absent: those. */
  readonly cards?: (signal: AbortSignal) => Promise<readonly Card[]>;
  /** Takes a model out of a server's store, and says what was freed. Null: it has no such model. Rejects with what went wrong. */
  readonly remove?: (name: string, signal: AbortSignal) => Promise<{ readonly bytes: number } | null>;
  /** Looks at what is wrong with a model, and repairs it by a derived one only where `apply` says so. */
  readonly repair?: (name: string, apply: boolean, signal: AbortSignal) => Promise<ModelRepair>;
  /**
   * A model of the server's store with a LoRA adapter, of which the server gets a copy; the name of what they make.
   * Rejects with what went wrong.
   */
  readonly addAdapter?: (name: string, request: FileToAdd, signal: AbortSignal) => Promise<string>;
  /** Whether its service can be reached, by the last request; null: nothing was asked yet. Absent: it needs no network. */
  readonly reach?: () => 'there' | 'away' | null;
  /** Null where only the provider itself can count. Counts the request as it will be sent, template included. */
  countTokens(request: ModelRequest, signal: AbortSignal): Promise<number | null>;
  /** Never rejects or throws: failure is `ended` with an error. Ends within 200 ms of an abort. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<StreamPart>;
  /**
   * Reads a prompt into the model and answers nothing, so that the next call with that beginning need not. Ends within
   * 200 ms of an abort, and what was read by then stays. Never rejects; absent where it cannot be done.
   */
  readonly prefill?: (request: ModelRequest, signal: AbortSignal) => Promise<Prefilled>;
  /** Reads texts with a model that was made for it. Never rejects; absent where no model of the provider can. */
  readonly readTexts?: (request: TextsRequest, signal: AbortSignal) => Promise<TextsReply>;
  /** Ends what it holds (processes, sockets); safe to call twice. */
  dispose(): Promise<void>;
}

export interface ProviderDefinition<Settings extends z.ZodType = z.ZodType, Dependencies = ProviderDependencies> {
  /** The kind of provider: `llama-cpp`, `openai-compatible`, … */
  readonly kind: string;
  readonly label: string;
  readonly settings: Settings;
  readonly secrets: readonly string[];
  create(dependencies: Dependencies, instance: { readonly id: string; readonly settings: z.infer<Settings> }): Provider;
}

/** What `compose.ts` hands to every provider. */
export interface ProviderDependencies {
  /** Where model files and prefix states lie. */
  readonly cacheDir: string;
  readonly now: () => number;
  /** Reaches services on the net: through the proxy and with the certificates of this machine. Absent: the built-in one. */
  readonly fetch?: typeof fetch;
  /** A secret by name ("apiKey"); null when it is not set. Never logged. */
  readonly secret: (name: string) => Promise<string | null>;
  /** The file of a local model by our name; null when it is not on this machine. */
  readonly modelFile: (name: string) => Promise<{
    readonly path: string;
    readonly contextTokens: number | null;
    readonly parametersB: number | null;
    readonly label: string;
    /** Strategies that it passed the probe for, best first; absent: nobody knows, recipes only. */
    readonly strategies?: readonly Strategy[];
    /** It answers nothing; absent: it answers. */
    readonly use?: TextUse | undefined;
    /** How hard it can be told to think, and how hard it does where nobody says; absent: it has no switch. */
    readonly efforts?: readonly Effort[] | undefined;
    readonly effort?: Effort | undefined;
    /** What the catalog knows of files that draft for it; absent: of none. */
    readonly drafters?: string | undefined;
    /** A LoRA adapter on it; absent: none. */
    readonly adapter?: Pick<AdapterOf, 'path' | 'name' | 'sha256' | 'refusal'> | undefined;
  } | null>;
  readonly localModels: () => Promise<readonly string[]>;
  /** The built worker and the program that runs it, for engines in a process of their own. */
  readonly workerPath: string;
  readonly nodePath: string;
  /** Whether this machine is under strain; absent: nobody looks. */
  readonly strain?: () => Promise<Strain>;
  /** The one in-process engine of this core; absent where none can run. */
  readonly llama?: LlamaEngine;
  /** The generators of this machine, of which one works at a time; absent: this one is alone. */
  readonly localEngines?: LocalEngines;
  /** What a model may have of this machine's memory; absent: what is asked for. */
  readonly grantContext?: GrantContext;
  /** Whether a load as it was granted has room beside what other engines hold; absent: it has. */
  readonly fitsBeside?: FitsBeside;
  /** Plans for a model that a server of this machine loads; absent: what is asked for. */
  readonly serverMemoryPlanner?: ServerMemoryPlanner;
  /** Starts an Ollama that is installed here and does not run; absent: nobody does. */
  readonly ownOllamaServer?: OwnOllamaServer;
  /** Runs model files in the llama-server that is installed here; absent: nobody does. */
  readonly ownLlamaServer?: OwnLlamaServer;
  /** What a probe of one of its models found out about drafts; absent: nobody knows. */
  readonly draftVerdict?: (name: string) => Promise<DraftVerdict | null>;
  /** For engines that plan for a file by themselves. */
  readonly readHeader?: ReadHeader;
  /** Of this machine; bytes. */
  readonly freeHostBytes?: (signal: AbortSignal) => Promise<number>;
  /** `OLLAMA_HOST` of the environment. */
  readonly ollamaHost?: string | undefined;
  /** Grants one step less, where that was too much; absent: there are no steps. */
  readonly stepDown?: StepDown;
  /** The same for engines that plan by themselves. */
  readonly loadSteps?: LoadSteps;
}

export function defineProvider<Settings extends z.ZodType>(
  definition: ProviderDefinition<Settings>,
): ProviderDefinition<Settings> {
  return definition;
}
