import { randomUUID } from 'node:crypto';
import type OpenAI from 'openai';
import type { ChatCompletion, ChatCompletionChunk } from 'openai/resources/chat/completions';
import { z } from 'zod';
import type { StopReason } from '@shared/events/call-events.ts';
import type { Usage } from '@shared/money/token-cost.ts';
import { jsonIn } from '@shared/text/json-in.ts';
import { callIn } from '../providers/call/forced-tool-call.ts';
import type { Answer } from '../providers/call/stream-answer.ts';
import { sayReasoning, sayReasoningBlock, sayText, toolCallOf } from '../providers/call/stream-answer.ts';
import type { ModelRequest, ProviderError, StreamPart } from '../providers/define.ts';
import type { ChatTarget } from './chat-request.ts';
import { decodeChatRequest, encodeChatRequest } from './chat-request.ts';
import type { AnswerDecoder, AnswerEncoder, AskedAnswer, EndedPush, WireCodec, WireFailure } from './wire-codec.ts';
import { collect, collectAnswer, event, promptTokens } from './wire-codec.ts';

type Chunk = OpenAI.Chat.Completions.ChatCompletionChunk;

interface Pieces {
  /** `asked`: the number that the server gave it. */
  readonly calls: Map<number, { id: string; name: string; arguments: string; readonly asked: number | null }>;
  readonly details: Map<string, Record<string, unknown>>;
  reasoningOpen: boolean;
  /** The whole answer must be one call, enforced by a schema. */
  readonly isForced: boolean;
}

/** Reads an answer, with the fields that services have added. */
function decodeChatAnswer(request: ModelRequest, target: ChatTarget): AnswerDecoder<Chunk> {
  const isForced = request.output.type === 'tool-calls';
  const pieces: Pieces = { calls: new Map(), details: new Map(), reasoningOpen: false, isForced };
  return {
    take: (chunk, answer) => takeChunk(chunk, answer, pieces, target),
    close: (answer) => {
      const whole = [...pieces.calls.values()].filter((call) => call.name !== '');
      for (const [index, { id, name, arguments: json }] of whole.entries()) {
        // Results are matched by the id, so no two calls have the same.
        const isOther = id !== '' && answer.calls.every((before) => before.id !== id);
        answer.calls.push(toolCallOf(isOther ? id : `${id === '' ? 'call' : id}-${index + 1}`, name, json));
      }
    },
  };
}

function* takeChunk(chunk: Chunk, answer: Answer, pieces: Pieces, target: ChatTarget): Iterable<StreamPart> {
  takeCounts(chunk, answer);
  if (typeof chunk.model === 'string' && chunk.model !== '') answer.model = chunk.model;
  const choice = chunk.choices?.[0];
  if (choice === undefined) return;
  const said = saidIn(choice);
  const { text, thinking } = contentOf(said.content ?? said.refusal);
  for (const reasoning of [said.reasoning_content ?? said.reasoning, thinking]) {
    if (reasoning !== null && reasoning !== undefined && reasoning !== '') pieces.reasoningOpen = true;
    yield* sayReasoning(answer, reasoning);
  }
  for (const detail of said.reasoning_details ?? []) takeDetail(detail, pieces);
  const calls = [...(said.tool_calls ?? []), ...(said.function_call ?? [])];
  const reason = stopReasonIn(choice.finish_reason);
  const isOver = text !== '' || calls.length > 0 || reason !== null;
  if (isOver) yield* closeReasoning(answer, pieces, target);
  if (pieces.isForced) yield* takeForced(text, reason !== null, answer);
  else yield* sayText(answer, text);
  for (const [position, part] of calls.entries()) takeCall(part, position, pieces);
  answer.stopReason = reason ?? answer.stopReason;
  if (reason === 'error') answer.error = endedByServer(choice.finish_reason);
}

/**
 * Collects a forced call without showing it. If the answer is not a call (the server ignored the schema), it is
 * shown as text.
 */
function* takeForced(text: string, isEnd: boolean, answer: Answer): Iterable<StreamPart> {
  answer.text += text;
  if (!isEnd) return;
  const call = callIn(answer.text);
  if (call !== null) {
    answer.calls.push({ type: 'tool-call', id: randomUUID(), ...call, raw: answer.text });
    return;
  }
  const whole = answer.text;
  answer.text = '';
  yield* sayText(answer, whole);
}

/** Services build answers differently. A field that cannot be read is skipped, and the rest of the answer goes on. */
const optional = <Value extends z.ZodType>(value: Value) => value.nullish().catch(null);
const functionSchema = z.object({
  name: optional(z.string()),
  // One server sends the arguments as a whole object.
  arguments: optional(z.union([z.string(), z.record(z.string(), z.unknown())])),
});
const callSchema = z.object({
  index: optional(z.coerce.number().int()),
  id: optional(z.coerce.string()),
  function: optional(functionSchema),
});
type CallPiece = z.infer<typeof callSchema>;
/** Also one value where a list should be. What is none of its kind is left out. */
const listOf = <Value>(one: z.ZodType<Value>) =>
  z
    .unknown()
    .optional()
    .transform((found) =>
      [found ?? []].flat().flatMap((value) => {
        const parsed = one.safeParse(value);
        return parsed.success ? [parsed.data] : [];
      }),
    );
const pieceSchema = z.union([
  z.string().transform((text) => ({ type: 'text', text, thinking: undefined })),
  z.looseObject({ type: z.string().catch('text'), text: optional(z.string()), thinking: z.unknown().optional() }),
]);
const deltaSchema = z.object({
  content: optional(z.union([z.string(), listOf(pieceSchema)])),
  refusal: optional(z.string()),
  reasoning_content: optional(z.string()),
  reasoning: optional(z.string()),
  reasoning_details: optional(z.array(z.looseObject({ type: z.string(), index: z.number().nullish() }))),
  tool_calls: listOf(callSchema),
  /** What came before `tool_calls`: one call, without an id. */
  function_call: listOf(functionSchema.transform((named): CallPiece => ({ index: 0, id: null, function: named }))),
});
type Delta = Partial<z.infer<typeof deltaSchema>>;

/** Some servers put a whole message, or only a text, in the place of a delta. */
function saidIn(choice: object): Delta {
  const { delta, message, text } = { delta: null, message: null, text: null, ...choice };
  const parsed = deltaSchema.safeParse(delta ?? message ?? { content: text });
  return parsed.success ? parsed.data : {};
}

function contentOf(content: Delta['content']): { readonly text: string; readonly thinking: string } {
  if (content === null || content === undefined) return { text: '', thinking: '' };
  if (typeof content === 'string') return { text: content, thinking: '' };
  const texts = content.map((piece) => (piece.type === 'thinking' ? '' : (piece.text ?? '')));
  const thoughts = content.map((piece) => (piece.type === 'thinking' ? textIn(piece.thinking) : ''));
  return { text: texts.join(''), thinking: thoughts.join('') };
}

function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  const parsed = z.array(z.object({ text: z.string() })).safeParse(value);
  return parsed.success ? parsed.data.map((piece) => piece.text).join('') : '';
}

/**
 * Which call a piece belongs to. Some servers number all calls alike or not at all: another id, or a name after whole
 * arguments, begins a call of its own.
 */
function placeOf(part: CallPiece, position: number, { calls }: Pieces): number {
  const wanted = part.index ?? position;
  const named = [...calls].findLast(
    ([, { id, asked }]) => id !== '' && id === part.id && asked === (part.index ?? null),
  )?.[0];
  if (named !== undefined) return named;
  const before = calls.get(wanted);
  if (before === undefined) return wanted;
  const hasName = (part.function?.name ?? '') !== '';
  const isOther = (part.id ?? '') !== '' && before.id !== '';
  const isNext = hasName && (part.id ?? '') === '' && before.id === '' && jsonIn(before.arguments) !== null;
  if (hasName && (isOther || isNext)) return Math.max(...calls.keys()) + 1;
  // A piece without a number belongs to the call that came last.
  return part.index === undefined || part.index === null ? Math.max(...calls.keys()) : lastWith(calls, wanted);
}

/** A call that had to make way for another with its number gets no more pieces. */
function lastWith(calls: Pieces['calls'], wanted: number): number {
  const last = Math.max(...calls.keys());
  return calls.get(last)?.asked === wanted ? last : wanted;
}

function takeCall(part: CallPiece, position: number, pieces: Pieces): void {
  const index = placeOf(part, position, pieces);
  const whole = pieces.calls.get(index)?.arguments;
  // Some servers say a whole call once more at its end.
  if (whole === part.function?.arguments && whole !== '' && jsonIn(whole ?? '') !== null) return;
  const call = pieces.calls.get(index) ?? { id: '', name: '', arguments: '', asked: part.index ?? null };
  call.id ||= part.id ?? '';
  call.name ||= part.function?.name ?? '';
  const more = part.function?.arguments ?? '';
  call.arguments += typeof more === 'string' ? more : JSON.stringify(more);
  pieces.calls.set(index, call);
}

/** Details also come in pieces: texts grow, and a signature comes once. They go back as one list, in order. */
function takeDetail(detail: Record<string, unknown>, pieces: Pieces): void {
  const key = JSON.stringify([detail.type, detail.index ?? 0]);
  const before = pieces.details.get(key);
  if (before === undefined) {
    pieces.details.set(key, { ...detail });
    return;
  }
  for (const [name, value] of Object.entries(detail)) {
    const grows = name === 'text' || name === 'summary' || name === 'data';
    const old = before[name];
    before[name] = grows && typeof old === 'string' && typeof value === 'string' ? old + value : (value ?? old);
  }
}

/** Yields the whole reasoning once it is over, if the service wants it back. */
function* closeReasoning(answer: Answer, pieces: Pieces, target: ChatTarget): Iterable<StreamPart> {
  const back = target.service.reasoningBack;
  const hasDetails = pieces.details.size > 0;
  if (back === null || !(pieces.reasoningOpen || hasDetails)) return;
  const state = hasDetails ? { state: JSON.stringify([...pieces.details.values()]) } : {};
  yield* sayReasoningBlock({ type: 'reasoning', text: answer.reasoning, by: target.by, ...state });
  pieces.reasoningOpen = false;
  pieces.details.clear();
}

const timingsSchema = z.object({
  prompt_n: z.number().nullish(),
  prompt_ms: z.number().nullish(),
  predicted_ms: z.number().nullish(),
});

/** `prompt_tokens` includes cached tokens. Our buckets are disjoint. */
const usageSchema = z.object({
  prompt_tokens: z.number().nullish(),
  completion_tokens: z.number().nullish(),
  total_tokens: z.number().nullish(),
  prompt_cache_hit_tokens: z.number().nullish(),
  cached_tokens: z.number().nullish(),
  prompt_tokens_details: z
    .object({ cached_tokens: z.number().nullish(), cache_write_tokens: z.number().nullish() })
    .nullish(),
  completion_tokens_details: z.object({ reasoning_tokens: z.number().nullish() }).nullish(),
});
const countsSchema = z.object({
  usage: usageSchema.nullish().catch(null),
  x_groq: z.object({ usage: usageSchema.nullish() }).nullish().catch(null),
  timings: timingsSchema.nullish().catch(null),
});

function takeCounts(chunk: unknown, answer: Answer): void {
  const parsed = countsSchema.safeParse(chunk);
  if (!parsed.success) return;
  const { usage, x_groq: groq, timings } = parsed.data;
  const counted = usage ?? groq?.usage;
  if (counted !== null && counted !== undefined) answer.usage = toUsage(counted) ?? answer.usage;
  answer.evaluatedTokens = timings?.prompt_n ?? answer.evaluatedTokens;
  answer.prefillMs = timings?.prompt_ms ?? answer.prefillMs;
  answer.decodeMs = timings?.predicted_ms ?? answer.decodeMs;
}

/** Null if the counts are all zero, as some servers send them. */
function toUsage(usage: z.infer<typeof usageSchema>): Usage | null {
  const prompt = usage.prompt_tokens ?? 0;
  const completion = usage.completion_tokens ?? 0;
  if (prompt === 0 && completion === 0) return null;
  const details = usage.prompt_tokens_details;
  const cacheRead = Math.min(
    prompt,
    details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens ?? 0,
  );
  const cacheWrite = Math.min(prompt - cacheRead, details?.cache_write_tokens ?? 0);
  const reasoning = usage.completion_tokens_details?.reasoning_tokens ?? 0;
  // Most services count reasoning as part of the completion. If one does not, only the total shows it.
  const isApart = reasoning > 0 && usage.total_tokens === prompt + completion + reasoning;
  const output = isApart ? completion + reasoning : Math.max(completion, reasoning);
  return { freshInput: prompt - cacheRead - cacheWrite, cacheRead, cacheWrite, output, reasoning, estimated: false };
}

/** Null: it goes on. Some servers send an empty reason with every piece. */
function stopReasonIn(reason: unknown): StopReason | null {
  if (typeof reason !== 'string' || reason === '' || reason === 'null') return null;
  return stopReasons[reason.toLowerCase()] ?? 'stop';
}

const stopReasons: Readonly<Record<string, StopReason>> = {
  length: 'length',
  model_length: 'length',
  max_tokens: 'length',
  max_length: 'length',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'error',
  error: 'error',
  abort: 'error',
  cancelled: 'error',
  insufficient_system_resource: 'error',
};

/** Null for an answer that was withheld, which has its own sentence. */
function endedByServer(reason: unknown): ProviderError | null {
  const word = String(reason).toLowerCase();
  if (word === 'content_filter') return null;
  return { code: 'cut', message: `The server ended the answer before its end (${word}).`, retryable: true };
}

/** Writes an answer in the form of Chat Completions. Reasoning goes into `reasoning_content`, as in most servers. */
function encodeChatAnswer({ call, id, at, wantsUsage }: AskedAnswer): AnswerEncoder {
  const said = collectAnswer();
  const head = { id: `chatcmpl-${id}`, created: Math.floor(at / 1000) };
  const chunk = (
    delta: ChatCompletionChunk.Choice.Delta & { readonly reasoning_content?: string },
    finish: ChatCompletionChunk.Choice['finish_reason'] = null,
  ): string => event(chunkOf(head, call.model, { choices: [{ index: 0, delta, finish_reason: finish }] }));
  return {
    pause: ': waiting\n\n',
    start: () => chunk({ role: 'assistant', content: '' }),
    said: (push) => {
      const index = said.calls.length;
      collect(said, push);
      switch (push.type) {
        case 'text':
          return chunk({ content: push.text });
        case 'reasoning':
          return chunk({ reasoning_content: push.text });
        case 'call': {
          const written = { name: push.name, arguments: JSON.stringify(push.input) };
          return chunk({ tool_calls: [{ index, id: push.id, type: 'function', function: written }] });
        }
        default:
          return push satisfies never;
      }
    },
    end: (ended) => {
      const last = chunk({}, finishReason(ended.stopReason));
      const usage = wantsUsage ? event(chunkOf(head, ended.model, { choices: [], usage: chatUsage(ended) })) : '';
      return `${last}${usage}data: [DONE]\n\n`;
    },
    broken: (failure) => event(openaiError(failure)),
    whole: (ended): ChatCompletion => ({
      ...head,
      object: 'chat.completion',
      model: ended.model,
      choices: [
        {
          index: 0,
          finish_reason: finishReason(ended.stopReason),
          logprobs: null,
          message: {
            role: 'assistant',
            refusal: null,
            content: said.text === '' && said.calls.length > 0 ? null : said.text,
            ...(said.reasoning === '' ? {} : { reasoning_content: said.reasoning }),
            ...(said.calls.length === 0
              ? {}
              : {
                  tool_calls: said.calls.map(({ id: callId, name, input }) => ({
                    id: callId,
                    type: 'function' as const,
                    function: { name, arguments: JSON.stringify(input) },
                  })),
                }),
          },
        },
      ],
      usage: chatUsage(ended),
    }),
  };
}

function chunkOf(
  head: { readonly id: string; readonly created: number },
  model: string,
  rest: Pick<ChatCompletionChunk, 'choices' | 'usage'>,
): ChatCompletionChunk {
  return { ...head, object: 'chat.completion.chunk', model, ...rest };
}

function finishReason(reason: StopReason): ChatCompletion.Choice['finish_reason'] {
  if (reason === 'tool-calls') return 'tool_calls';
  return reason === 'length' || reason === 'repetition' ? 'length' : 'stop';
}

function chatUsage({ usage }: EndedPush): NonNullable<ChatCompletion['usage']> {
  const prompt = promptTokens(usage);
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  };
}

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  500: 'server_error',
  503: 'server_error',
};

const codes: Partial<Readonly<Record<WireFailure['code'], string>>> = {
  'wrong-key': 'invalid_api_key',
  'unknown-model': 'model_not_found',
  'too-long': 'context_length_exceeded',
  limit: 'insufficient_quota',
  'rate-limit': 'rate_limit_exceeded',
};

/** The error form of both OpenAI APIs. */
export function openaiError({ status, code, message }: WireFailure): object {
  const type = code === 'limit' ? 'insufficient_quota' : (types[status] ?? 'invalid_request_error');
  return { error: { message, type, param: null, code: codes[code] ?? code.replaceAll('-', '_') } };
}

/** Chat Completions. */
export const chatCodec = {
  encodeRequest: encodeChatRequest,
  decodeRequest: decodeChatRequest,
  encodeAnswer: encodeChatAnswer,
  decodeAnswer: decodeChatAnswer,
  encodeFailure: openaiError,
} satisfies WireCodec<Chunk, ChatTarget>;
