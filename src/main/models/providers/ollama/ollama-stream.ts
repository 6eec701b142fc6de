import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Answer, Wire } from '../call/stream-answer.ts';
import { sayReasoning, sayReasoningBlock, sayText } from '../call/stream-answer.ts';
import type { ModelRequest, ProviderError, StreamPart } from '../define.ts';
import { brokenStream } from '../openai/openai-errors.ts';
import type { OllamaApi } from './ollama-api.ts';
import { OllamaError } from './ollama-errors.ts';
import { callIn } from '../call/forced-tool-call.ts';
import type { StopReason } from '@shared/events/call-events.ts';
import { jsonOrText } from '@shared/text/json-in.ts';

/** The server's counts for one call. Times in milliseconds. Null: not reported. */
export interface OllamaCounts {
  readonly promptTokens: number | null;
  readonly outputTokens: number | null;
  readonly promptMs: number | null;
  readonly outputMs: number | null;
  /** The natural logarithm of each answer token's probability, in order. */
  readonly logprobs: readonly number[];
}

export interface OllamaWireOptions {
  readonly api: OllamaApi;
  readonly body: (request: ModelRequest) => Readonly<Record<string, unknown>>;
  /** `ollama/MODEL`. Only its own thoughts are sent back to it. */
  readonly by: string;
  /** Finds what is wrong with an answer that looks complete, by its counts. Null: nothing. */
  readonly judge: (request: ModelRequest, counts: OllamaCounts) => ProviderError | null;
}

const count = z.number().nonnegative().nullish().catch(null);
const chunkSchema = z.object({
  model: z.string().nullish().catch(null),
  message: z
    .object({
      content: z.string().nullish().catch(null),
      thinking: z.string().nullish().catch(null),
      tool_calls: z
        .array(
          z.object({
            id: z.string().nullish(),
            function: z.object({
              name: z.string(),
              // An older server may pass on what the model wrote as text.
              arguments: z.union([z.record(z.string(), z.unknown()), z.string()]).nullish(),
            }),
          }),
        )
        .nullish(),
    })
    .nullish(),
  done: z.boolean().nullish().catch(null),
  done_reason: z.string().nullish().catch(null),
  prompt_eval_count: count,
  eval_count: count,
  prompt_eval_duration: count,
  eval_duration: count,
  logprobs: z
    .array(z.object({ logprob: z.number() }))
    .nullish()
    .catch(null),
});
type Chunk = z.infer<typeof chunkSchema>;

interface Taken {
  request: ModelRequest | null;
  reasoningOpen: boolean;
  counts: OllamaCounts;
  readonly logprobs: number[];
}

/** `/api/chat` as it streams: one JSON object a line. Use it for one call only. */
export function ollamaWire(options: OllamaWireOptions): Wire<unknown> & { readonly counts: () => OllamaCounts } {
  const none = { promptTokens: null, outputTokens: null, promptMs: null, outputMs: null, logprobs: [] };
  const taken: Taken = { request: null, reasoningOpen: false, counts: none, logprobs: [] };
  return {
    counts: () => taken.counts,
    open: async (request, signal) => {
      taken.request = request;
      return options.api.chat(options.body(request), signal);
    },
    take: (event, answer) => takeChunk(event, answer, taken, options),
    close: (answer) => {
      if (taken.request === null || answer.stopReason === null) return;
      answer.error = options.judge(taken.request, taken.counts);
    },
    errorOf: (error) => (error instanceof OllamaError ? error.error : brokenStream(error)),
  };
}

function* takeChunk(event: unknown, answer: Answer, taken: Taken, { by }: OllamaWireOptions): Iterable<StreamPart> {
  const parsed = chunkSchema.safeParse(event);
  if (!parsed.success) {
    answer.error = { code: 'cut', message: 'A line of the answer could not be read.', retryable: true };
    return;
  }
  const chunk = parsed.data;
  const { message } = chunk;
  if (typeof chunk.model === 'string' && chunk.model !== '') answer.model = chunk.model;
  for (const { logprob } of chunk.logprobs ?? []) taken.logprobs.push(logprob);
  if (message?.thinking) {
    taken.reasoningOpen = true;
    yield* sayReasoning(answer, message.thinking);
  }
  const calls = message?.tool_calls ?? [];
  if (taken.reasoningOpen && (Boolean(message?.content) || calls.length > 0 || chunk.done === true)) {
    taken.reasoningOpen = false;
    yield* sayReasoningBlock({ type: 'reasoning', text: answer.reasoning, by });
  }
  yield* sayContent(answer, taken, message?.content ?? '', chunk.done === true);
  for (const { id, function: called } of calls) {
    const input = called.arguments ?? {};
    const raw = typeof input === 'string' ? input : JSON.stringify(input);
    answer.calls.push({
      type: 'tool-call',
      id: id === null || id === undefined || id === '' ? `call-${answer.calls.length + 1}` : id,
      name: called.name,
      input: typeof input === 'string' ? jsonOrText(input) : input,
      raw,
    });
  }
  if (chunk.done === true) takeEnd(chunk, answer, taken);
}

/**
 * Shows text only. A choice comes as a JSON string and is decoded first. A forced call comes as an object and is not
 * shown.
 */
function* sayContent(answer: Answer, taken: Taken, content: string, isEnd: boolean): Iterable<StreamPart> {
  const form = taken.request?.output.type ?? 'text';
  if (form === 'text' || form === 'json-schema') {
    yield* sayText(answer, content);
    return;
  }
  answer.text += content;
  if (!isEnd) return;
  if (form === 'choice') {
    const chosen = jsonOrText(answer.text);
    answer.text = '';
    yield* sayText(answer, typeof chosen === 'string' ? chosen : JSON.stringify(chosen));
    return;
  }
  const call = callIn(answer.text);
  if (call !== null) answer.calls.push({ type: 'tool-call', id: randomUUID(), ...call, raw: answer.text });
}

function takeEnd(chunk: Chunk, answer: Answer, taken: Taken): void {
  const ms = (nanoseconds: number | null | undefined): number | null =>
    typeof nanoseconds === 'number' ? nanoseconds / 1e6 : null;
  taken.counts = {
    promptTokens: chunk.prompt_eval_count ?? null,
    outputTokens: chunk.eval_count ?? null,
    promptMs: ms(chunk.prompt_eval_duration),
    outputMs: ms(chunk.eval_duration),
    logprobs: taken.logprobs,
  };
  const { promptTokens, outputTokens, promptMs, outputMs } = taken.counts;
  answer.stopReason = stopReasonOf(chunk.done_reason ?? 'stop');
  answer.prefillMs = promptMs;
  answer.decodeMs = outputMs;
  // A count of zero for the prompt means no count. Cached tokens are included in the prompt's count.
  if (promptTokens === null || promptTokens === 0) return;
  const reasoning = answer.reasoning === '' ? 0 : reasoningShare(answer, outputTokens ?? 0);
  answer.usage = {
    freshInput: promptTokens,
    cacheRead: 0,
    cacheWrite: 0,
    output: outputTokens ?? 0,
    reasoning,
    estimated: false,
  };
}

/** The server counts thoughts and answer together. The tokens are split by the length of the texts. */
function reasoningShare(answer: Answer, outputTokens: number): number {
  const calls = answer.calls.reduce((sum, call) => sum + (call.raw ?? '').length + call.name.length, 0);
  const whole = answer.reasoning.length + answer.text.length + calls;
  return whole === 0 ? 0 : Math.round((outputTokens * answer.reasoning.length) / whole);
}

function stopReasonOf(reason: string): StopReason {
  return reason === 'length' ? 'length' : 'stop';
}
