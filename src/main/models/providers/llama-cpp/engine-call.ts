import { randomUUID } from 'node:crypto';
import type { EngineReport } from '@shared/events/call-report.ts';
import type { HeldModel } from '../../engine/local-engines.ts';
import type { EngineEvent } from '../../engine/llama-engine.ts';
import type { EngineError, EngineOutput, EngineRequest } from '../../engine/worker/worker-protocol.ts';
import type { ModelRequest, ProviderError, StreamEnded, StreamPart } from '../define.ts';
import { loadSizeInWords, loadSizeOf } from '../../memory/load-size.ts';
import type { FoundModel, LlamaCppDependencies } from './llama-cpp-model.ts';
import { callIn } from '../call/forced-tool-call.ts';

export type EndedEvent = Extract<EngineEvent, { type: 'ended' }>;

/** Null if the request cannot be made: a forced call without tools. */
export function toEngineRequest(request: ModelRequest): EngineRequest | null {
  const output = toEngineOutput(request);
  if (output === null) return null;
  return {
    messages: [...request.messages],
    output,
    prefill: request.prefill,
    stop: [...request.stop],
    temperature: request.temperature,
    topP: request.topP,
    seed: request.seed,
    maxOutputTokens: request.maxOutputTokens,
    cacheKey: request.cacheKey,
    ...thinkingOf(request),
  };
}

/** The most tokens that a model may think before the engine ends its thoughts. */
const thoughtTokens = { low: 1_024, medium: 4_096, high: 16_384 } as const;
/** If half of the output limit is below this, the model does not think. Such small questions come from recipes. */
const leastThoughtTokens = 256;

/** Thinking gets at most half of the output limit. A choice and an answer with a prefill come without thinking. */
export function thinkingOf({
  effort = 'none',
  output,
  prefill,
  maxOutputTokens,
}: ModelRequest): Pick<EngineRequest, 'thinking'> {
  if (effort === 'none' || output.type === 'choice' || (prefill ?? '') !== '') return {};
  const level = effort === 'max' ? 'high' : effort;
  const mostTokens = Math.min(thoughtTokens[level], Math.floor(maxOutputTokens / 2));
  return mostTokens < leastThoughtTokens ? {} : { thinking: { effort: level, mostTokens } };
}

function toEngineOutput({ output, tools }: ModelRequest): EngineOutput | null {
  switch (output.type) {
    case 'text':
      return { type: 'text' };
    case 'json-schema':
      return { type: 'json-schema', schema: { ...output.schema } };
    case 'choice':
      return output.options.length === 0 ? null : { type: 'choice', options: [...output.options] };
    case 'tool-calls':
      if (tools.length === 0) return null;
      return {
        type: 'tool-call',
        tools: tools.map(({ name, inputSchema }) => ({ name, inputSchema: { ...inputSchema } })),
      };
    default:
      return output satisfies never;
  }
}

/** Parses a call that the grammar forced. Null only if the answer was cut off. */
export function parseCall(text: string): Extract<StreamPart, { type: 'tool-call' }> | null {
  const call = callIn(text);
  return call && { type: 'tool-call', call: { type: 'tool-call', id: randomUUID(), ...call, raw: text } };
}

export function toEnded({ generation, queuedMs, totalMs }: EndedEvent, hasCall: boolean): StreamEnded {
  const { promptTokens, evaluatedTokens, outputTokens, prefillMs, decodeMs, counted, logprobs, error } = generation;
  // A call that was cancelled or failed early counts only the tokens that it read, not the whole prompt.
  const kept = prefillMs === null || generation.stopReason === 'cancelled' ? 0 : promptTokens - evaluatedTokens;
  return {
    type: 'ended',
    stopReason: hasCall ? 'tool-calls' : generation.stopReason,
    usage: {
      freshInput: evaluatedTokens,
      cacheRead: Math.max(0, kept),
      cacheWrite: 0,
      output: outputTokens,
      reasoning: 0,
      estimated: false,
    },
    evaluatedTokens,
    timings: {
      queuedMs,
      prefillMs,
      decodeMs,
      decodeTokens: Math.max(0, outputTokens - 1),
      totalMs,
      ...(counted === undefined ? {} : { counted }),
    },
    error: error === null ? null : toProviderError(error),
    ...(logprobs === undefined ? {} : { logprobs }),
  };
}

export function toProviderError(error: EngineError): ProviderError {
  const code = error.code === 'cancelled' ? 'internal' : error.code;
  return { code, message: error.message, retryable: error.code === 'engine-lost' };
}

/** What was asked for, granted and really loaded. Null if the call ended before its model was in memory. */
export function reportOf(
  { loaded }: EndedEvent,
  { grant, adapter }: Pick<FoundModel, 'grant' | 'adapter'>,
  {
    slow,
    unloaded,
    strain,
  }: { readonly slow: string | null; readonly unloaded: readonly HeldModel[]; readonly strain: string | null },
): EngineReport | null {
  if (loaded === null) return null;
  const isElsewhere = grant.expectsCard && loaded.backend === 'cpu';
  const reasons = [
    ...(grant.why === null ? [] : [grant.why]),
    ...(loaded.sequences < grant.sequences ? [`room for ${loaded.sequences} conversations only`] : []),
    ...(isElsewhere ? ['a card was found, but the engine uses the processor'] : []),
    ...(slow === null ? [] : [slow]),
    ...(strain === null ? [] : [strain]),
  ];
  const findings = [
    ...(isElsewhere ? ['other-backend'] : []),
    ...(slow === null ? [] : ['slow']),
    ...(strain === null ? [] : ['strained']),
  ];
  return {
    backend: loaded.backend,
    askedTokens: grant.askedTokens,
    grantedTokens: grant.grantedTokens,
    contextTokens: loaded.contextTokens,
    sequences: loaded.sequences,
    ...(adapter === null ? {} : { adapter: { name: adapter.name, sha256: adapter.sha256 } }),
    predictedBytes: grant.predictedBytes,
    ...(loaded.observedBytes === null ? {} : { observedBytes: loaded.observedBytes }),
    ...(findings.length === 0 ? {} : { findings }),
    ...(unloaded.length === 0 ? {} : { unloaded: unloaded.map(({ model }) => model) }),
    why: reasons.length === 0 ? null : reasons.join('; '),
  };
}

/**
 * After the engine ran out of memory with the planned size, the model gets one step less from now on. The returned
 * error is retryable and says so. Null if there is no smaller step.
 */
export async function smallerLoad(
  { stepDown }: LlamaCppDependencies,
  { path, wish, grant }: FoundModel,
  error: EngineError,
): Promise<ProviderError | null> {
  if (error.code !== 'out-of-memory' || stepDown === undefined) return null;
  const smaller = await stepDown(path, wish, error);
  if (smaller === null) return null;
  const [now, before] = [smaller, grant].map((size) => loadSizeInWords(loadSizeOf(size)));
  const message = `${error.message} From now on, it is loaded with ${now} instead of ${before}.`;
  return { code: 'out-of-memory', message, retryable: true };
}
