import type { LlamaGrammarEvaluationState, SequenceEvaluateOptions, Token } from 'node-llama-cpp';
import type { AnswerText } from './answer-text.ts';
import type { Engine } from '../load/load-model.ts';
import type { ConversationSlot } from '../sequences/conversation-slots.ts';
import type { Counters } from '../sequences/prepare-sequence.ts';
import type { EngineError, EngineRequest, Generation } from '../worker-protocol.ts';
import type { TokenizedPrompt, TokenMemory } from '../prompt/tokenize-chat.ts';

export interface Emit {
  /** `tokens` is the number of tokens since the last delta. */
  delta(text: string, tokens: number): void;
  thought(text: string, tokens: number): void;
  progress(done: number, total: number): void;
}

export interface GenerationContext {
  readonly engine: Engine;
  readonly memory: TokenMemory;
  readonly counters: Counters;
  /** The engine's last output. */
  readonly log: readonly string[];
}

export interface GenerationCall {
  readonly signal: AbortSignal;
  readonly emit: Emit;
  readonly account: Account;
  readonly answer: AnswerText<Token>;
}

export interface Decoding {
  readonly request: EngineRequest;
  readonly prompt: TokenizedPrompt;
  readonly slot: ConversationSlot;
  readonly last: readonly Token[];
  readonly grammar: LlamaGrammarEvaluationState | null;
  readonly most: number;
}

/** What a call has done so far, so that it can be reported at any moment. */
export interface Account {
  promptTokens: number;
  evaluatedTokens: number;
  outputTokens: number;
  /** The output tokens that were thoughts. */
  thoughtTokens: number;
  prefillStartedAt: number | null;
  firstTokenAt: number | null;
  endedAt: number | null;
  readonly logprobs: number[];
}

export function openAccount(): Account {
  return {
    promptTokens: 0,
    evaluatedTokens: 0,
    outputTokens: 0,
    thoughtTokens: 0,
    prefillStartedAt: null,
    firstTokenAt: null,
    endedAt: null,
    logprobs: [],
  };
}

/** The result of a call that ends now. */
export function endCall(account: Account, stopReason: Generation['stopReason'], error: EngineError | null): Generation {
  account.endedAt ??= performance.now();
  const { prefillStartedAt: started, firstTokenAt: first, endedAt: ended } = account;
  return {
    stopReason,
    promptTokens: account.promptTokens,
    evaluatedTokens: account.evaluatedTokens,
    outputTokens: account.outputTokens,
    prefillMs: started === null ? null : (first ?? ended) - started,
    decodeMs: first === null ? null : ended - first,
    ...(account.thoughtTokens === 0 ? {} : { thoughtTokens: account.thoughtTokens }),
    ...(account.logprobs.length === 0 ? {} : { logprobs: account.logprobs }),
    error,
  };
}

/** The sampling options for free text. */
export function freeSampling({ temperature, topP, seed: wanted }: EngineRequest): SequenceEvaluateOptions {
  const seed = wanted === null ? Math.floor(Math.random() * 0x7fffffff) : Math.abs(Math.trunc(wanted)) % 0x7fffffff;
  // The engine keeps the 40 likeliest tokens before top-p, as it does by default. That is cheaper than sorting the
  // vocabulary.
  return { temperature, topP, topK: 40, seed };
}
