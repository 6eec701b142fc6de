import OpenAI from 'openai';
import { z } from 'zod';
import type { ToolCallPart } from '@shared/messages.ts';
import { textOf } from '@shared/messages.ts';
import type { ModelInfo } from '@shared/models.ts';
import type { Usage } from '@shared/money.ts';
import type { StopReason } from '@shared/events.ts';
import { openaiCompatibleSchema } from '@shared/settings.ts';
import type { ModelRequest, Provider, StreamEnded, StreamPart } from './define.ts';
import { defineProvider } from './define.ts';
import { endedWith, estimateTokens } from './ended.ts';
import { toProviderError } from './openai-errors.ts';
import { toWire } from './openai-messages.ts';
import { StalledError, watched } from './watched.ts';

type Settings = z.infer<typeof openaiCompatibleSchema>;

/** A local server may read a long prompt for minutes before it says a word; a cloud one may not. */
const stallMs = { local: 300_000, cloud: 90_000 } as const;
const defaultContextTokens = 32_768;

/** Chat Completions at any base URL: servers on this machine and services alike. */
export default defineProvider({
  kind: 'openai-compatible',
  label: 'OpenAI-compatible endpoint',
  settings: openaiCompatibleSchema,
  secrets: ['apiKey'],
  create({ now, secret }, { id, settings }): Provider {
    const connect = async (): Promise<OpenAI> =>
      // Retries are the agent's, so that every one of them is seen and can be cancelled.
      new OpenAI({
        baseURL: settings.baseUrl,
        apiKey: (await secret('apiKey')) ?? 'none',
        maxRetries: 0,
        // Nothing of the environment but what the settings name, and nothing of ours on the terminal.
        organization: null,
        project: null,
        logLevel: 'off',
        timeout: stallMs[settings.where],
      });
    return {
      id,
      listModels: async (signal) => listModels(await connect(), id, settings, signal),
      countTokens: async () => null,
      dispose: async () => {},
      stream: (request, signal) => streamCall(connect, request, { signal, now, stallMs: stallMs[settings.where] }),
    };
  },
});

async function listModels(
  client: OpenAI,
  id: string,
  settings: Settings,
  signal: AbortSignal,
): Promise<readonly ModelInfo[]> {
  const names = new Set(Object.keys(settings.models));
  try {
    for await (const model of client.models.list({ signal, timeout: 5_000 })) names.add(model.id);
  } catch (error) {
    // A server that cannot list (or is not there) still has the models that the settings name.
    if (names.size === 0) throw error;
  }
  return [...names].map((name) => modelInfo(id, name, settings));
}

function modelInfo(id: string, name: string, settings: Settings): ModelInfo {
  const known = settings.models[name];
  const isLocal = settings.where === 'local';
  return {
    id: `${id}/${name}`,
    provider: id,
    name,
    label: name,
    where: settings.where,
    contextTokens: known?.context ?? defaultContextTokens,
    parametersB: known?.parametersB ?? null,
    capabilities: { tools: known?.tools ?? true, grammar: false, prefill: false, infill: false, countTokens: false },
    price: known?.price ?? (isLocal ? { input: 0, output: 0, source: 'local', date: '2026-11-21' } : null),
    gears: known?.gears ?? ['loop', 'recipe'],
  };
}

const timingsSchema = z.object({
  timings: z.object({
    prompt_n: z.number().nullish(),
    cache_n: z.number().nullish(),
    prompt_ms: z.number().nullish(),
    predicted_ms: z.number().nullish(),
  }),
});

interface CallContext {
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly stallMs: number;
}

interface Progress {
  text: string;
  reasoning: string;
  stopReason: StopReason | null;
  usage: Usage | null;
  evaluatedTokens: number | null;
  prefillMs: number | null;
  decodeMs: number | null;
  readonly calls: Map<number, { id: string; name: string; arguments: string }>;
}

async function* streamCall(
  connect: () => Promise<OpenAI>,
  request: ModelRequest,
  context: CallContext,
): AsyncIterable<StreamPart> {
  const startedAt = context.now();
  // The caller's signal and our own end meet here, so that a stalled socket is closed as well.
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  if (context.signal.aborted) abort();
  context.signal.addEventListener('abort', abort, { once: true });
  const progress: Progress = {
    text: '',
    reasoning: '',
    stopReason: null,
    usage: null,
    evaluatedTokens: null,
    prefillMs: null,
    decodeMs: null,
    calls: new Map(),
  };
  try {
    const client = await connect();
    const chunks = await client.chat.completions.create(toWire(request), { signal: controller.signal });
    for await (const chunk of watched(chunks, context.stallMs, context.signal)) yield* takeChunk(chunk, progress);
    yield* finish(request, progress, startedAt, context);
  } catch (error) {
    const usage = progress.usage ?? estimateUsage(request, progress, progress.text === '');
    yield endedWith(failureOf(error, context.signal), startedAt, context.now(), usage);
  } finally {
    context.signal.removeEventListener('abort', abort);
    controller.abort();
  }
}

function failureOf(error: unknown, signal: AbortSignal): StreamEnded['error'] {
  if (signal.aborted) return null;
  if (error instanceof StalledError) return { code: 'stalled', message: error.message, retryable: true };
  return toProviderError(error) ?? { code: 'cut', message: 'The server closed the connection.', retryable: true };
}

function* takeChunk(chunk: OpenAI.Chat.Completions.ChatCompletionChunk, progress: Progress): Iterable<StreamPart> {
  if (chunk.usage !== null && chunk.usage !== undefined) progress.usage = toUsage(chunk.usage);
  takeTimings(chunk, progress);
  const choice = chunk.choices?.[0];
  if (choice === undefined) return;
  const { delta } = choice;
  const reasoning = reasoningOf(delta);
  if (reasoning !== '') {
    progress.reasoning += reasoning;
    yield { type: 'reasoning-delta', text: reasoning };
  }
  if (typeof delta?.content === 'string' && delta.content !== '') {
    progress.text += delta.content;
    yield { type: 'text-delta', text: delta.content };
  }
  for (const part of delta?.tool_calls ?? []) {
    const call = progress.calls.get(part.index) ?? { id: '', name: '', arguments: '' };
    call.id ||= part.id ?? '';
    call.name ||= part.function?.name ?? '';
    call.arguments += part.function?.arguments ?? '';
    progress.calls.set(part.index, call);
  }
  if (choice.finish_reason !== null && choice.finish_reason !== undefined)
    progress.stopReason = toStopReason(choice.finish_reason);
}

const reasoningSchema = z.object({ reasoning_content: z.string().nullish(), reasoning: z.string().nullish() });

/** Servers disagree on the field's name. */
function reasoningOf(delta: unknown): string {
  const parsed = reasoningSchema.safeParse(delta ?? {});
  return parsed.success ? (parsed.data.reasoning_content ?? parsed.data.reasoning ?? '') : '';
}

function takeTimings(chunk: unknown, progress: Progress): void {
  const parsed = timingsSchema.safeParse(chunk);
  if (!parsed.success) return;
  const { timings } = parsed.data;
  progress.evaluatedTokens = timings.prompt_n ?? progress.evaluatedTokens;
  progress.prefillMs = timings.prompt_ms ?? progress.prefillMs;
  progress.decodeMs = timings.predicted_ms ?? progress.decodeMs;
}

function* finish(
  request: ModelRequest,
  progress: Progress,
  startedAt: number,
  context: CallContext,
): Iterable<StreamPart> {
  const timings = {
    queuedMs: 0,
    prefillMs: progress.prefillMs,
    decodeMs: progress.decodeMs,
    totalMs: Math.max(0, context.now() - startedAt),
  };
  if (context.signal.aborted || progress.stopReason === null) {
    // Without a finish reason the answer is not whole: no call in it may run.
    const usage = progress.usage ?? estimateUsage(request, progress, false);
    const error = context.signal.aborted
      ? null
      : { code: 'cut' as const, message: 'The answer broke off before its end.', retryable: true };
    yield { ...endedWith(error, startedAt, context.now(), usage), timings };
    return;
  }
  const calls = [...progress.calls.values()].filter((call) => call.name !== '');
  // An answer that hit the length limit may end inside its last call.
  if (progress.stopReason !== 'length')
    for (const [index, call] of calls.entries()) yield { type: 'tool-call', call: toToolCall(call, index) };
  yield {
    type: 'ended',
    stopReason: calls.length > 0 && progress.stopReason === 'stop' ? 'tool-calls' : progress.stopReason,
    usage: progress.usage ?? estimateUsage(request, progress, false),
    evaluatedTokens: progress.evaluatedTokens,
    timings,
    error:
      progress.stopReason === 'error'
        ? { code: 'bad-request', message: 'The service withheld the answer (content filter).', retryable: false }
        : null,
  };
}

function toToolCall(call: { id: string; name: string; arguments: string }, index: number): ToolCallPart {
  const id = call.id === '' ? `call-${index + 1}` : call.id;
  try {
    const input: unknown = JSON.parse(call.arguments === '' ? '{}' : call.arguments);
    return { type: 'tool-call', id, name: call.name, input, raw: call.arguments };
  } catch {
    // Left as it came: repairing arguments is the agent's, with a record of what was repaired.
    return { type: 'tool-call', id, name: call.name, input: null, raw: call.arguments };
  }
}

function toStopReason(reason: string): StopReason {
  if (reason === 'length') return 'length';
  if (reason === 'tool_calls' || reason === 'function_call') return 'tool-calls';
  if (reason === 'content_filter') return 'error';
  return 'stop';
}

/** `prompt_tokens` counts cached ones, too; our buckets are disjoint. */
function toUsage(usage: OpenAI.CompletionUsage): Usage {
  const cacheRead = usage.prompt_tokens_details?.cached_tokens ?? 0;
  return {
    freshInput: Math.max(0, (usage.prompt_tokens ?? 0) - cacheRead),
    cacheRead,
    cacheWrite: 0,
    output: usage.completion_tokens ?? 0,
    reasoning: usage.completion_tokens_details?.reasoning_tokens ?? 0,
    estimated: false,
  };
}

function estimateUsage(request: ModelRequest, progress: Progress, nothingSaid: boolean): Usage {
  const prompt = request.messages.reduce((sum, message) => sum + estimateTokens(textOf(message)), 0);
  const output = estimateTokens(progress.text + progress.reasoning);
  return {
    freshInput: nothingSaid ? 0 : prompt,
    cacheRead: 0,
    cacheWrite: 0,
    output,
    reasoning: estimateTokens(progress.reasoning),
    estimated: true,
  };
}
