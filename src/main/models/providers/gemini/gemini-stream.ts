import { z } from 'zod';
import { messageOf } from '@shared/errors.ts';
import type { Usage } from '@shared/money/token-cost.ts';
import type { Answer, Wire } from '../call/stream-answer.ts';
import { sayReasoning, sayText } from '../call/stream-answer.ts';
import type { ModelRequest, ProviderError, StreamPart } from '../define.ts';
import { toGeminiWire } from './gemini-messages.ts';
import { errorOfRefusal } from '../api/http-errors.ts';
import { brokenStream, connectionError } from '../openai/openai-errors.ts';
import { addressBelow } from '../../../lib/net/base-address.ts';
import type { ModelTarget } from '../api/api-provider.ts';
import type { StopReason } from '@shared/events/call-events.ts';
import { jsonIn } from '@shared/text/json-in.ts';

export interface GeminiConnection {
  readonly baseUrl: string;
  readonly key: () => Promise<string | null>;
  readonly fetch: typeof fetch;
}

/** `streamGenerateContent` as server-sent events. Use it for one call only. */
export function geminiWire(
  connection: GeminiConnection,
  targetOf: (request: ModelRequest) => ModelTarget,
): Wire<unknown> {
  let by = '';
  return {
    open: async (request, signal) => {
      const target = targetOf(request);
      by = target.by;
      const path = `models/${encodeURIComponent(request.model)}:streamGenerateContent?alt=sse`;
      const url = addressBelow(connection.baseUrl, path);
      const key = await connection.key();
      const response = await connection.fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(key === null ? {} : { 'x-goog-api-key': key }) },
        body: JSON.stringify(toGeminiWire(request, target)),
        signal,
      });
      if (!response.ok || response.body === null) throw await refusalOf(response);
      return events(response.body);
    },
    take: (event, answer) => takeChunk(event, answer, by),
    errorOf: (error) => (error instanceof RefusedError ? error.refusal : networkError(error)),
  };
}

class RefusedError extends Error {
  readonly refusal: ProviderError;

  constructor(refusal: ProviderError) {
    super(refusal.message);
    this.name = 'RefusedError';
    this.refusal = refusal;
  }
}

const errorSchema = z.object({
  error: z.object({
    code: z.number().nullish(),
    message: z.string().nullish(),
    status: z.string().nullish(),
    details: z
      .array(z.looseObject({ retryDelay: z.string().optional() }))
      .nullish()
      .catch(null),
  }),
});

async function refusalOf(response: Response): Promise<RefusedError> {
  const text = await response.text().catch((error: unknown) => messageOf(error));
  const body = jsonIn(text);
  const said = errorSchema.safeParse(Array.isArray(body) ? body[0] : body);
  if (said.success) return new RefusedError(errorOfBody(said.data.error, response));
  return new RefusedError(
    errorOfRefusal({ status: response.status, message: text.slice(0, 300), headers: response.headers }),
  );
}

function errorOfBody(error: z.infer<typeof errorSchema>['error'], response: Response | null): ProviderError {
  const delay = error.details?.map((detail) => detail.retryDelay).find((text) => text !== undefined);
  const seconds = Number(delay?.replace(/s$/, '') ?? Number.NaN);
  return errorOfRefusal({
    status: response?.status ?? error.code ?? undefined,
    message: error.message ?? 'The provider stopped and gave no reason.',
    headers: response?.headers,
    kind: error.status ?? '',
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : undefined,
  });
}

/** The built-in `fetch` only says that it failed. Its cause says why. */
function networkError(error: unknown): ProviderError {
  if (error instanceof TypeError && error.message === 'fetch failed') return connectionError(error);
  return brokenStream(error);
}

async function* events(body: AsyncIterable<Uint8Array>): AsyncIterable<unknown> {
  // Gateways of another kind end a stream with a word.
  for await (const data of readSse(body)) if (data !== '[DONE]') yield JSON.parse(data);
}

const count = z.number().int().nonnegative().nullish();
const chunkSchema = z.object({
  modelVersion: z.string().nullish(),
  promptFeedback: z.object({ blockReason: z.string().nullish() }).nullish(),
  candidates: z
    .array(
      z.object({
        content: z
          .object({
            parts: z
              .array(
                z.looseObject({
                  text: z.string().nullish(),
                  thought: z.boolean().nullish(),
                  thoughtSignature: z.string().nullish(),
                  functionCall: z
                    .object({ id: z.string().nullish(), name: z.string(), args: z.unknown().optional() })
                    .nullish(),
                }),
              )
              .nullish(),
          })
          .nullish(),
        finishReason: z.string().nullish(),
        finishMessage: z.string().nullish(),
      }),
    )
    .nullish(),
  usageMetadata: z
    .object({
      promptTokenCount: count,
      cachedContentTokenCount: count,
      candidatesTokenCount: count,
      thoughtsTokenCount: count,
      toolUsePromptTokenCount: count,
    })
    .nullish()
    // Unreadable counts do not make the answer invalid.
    .catch(null),
});
type Chunk = z.infer<typeof chunkSchema>;

function* takeChunk(event: unknown, answer: Answer, by: string): Iterable<StreamPart> {
  const refused = errorSchema.safeParse(event);
  if (refused.success) {
    answer.error = errorOfBody(refused.data.error, null);
    return;
  }
  const chunk = chunkSchema.parse(event);
  if (typeof chunk.modelVersion === 'string') answer.model = chunk.modelVersion;
  if (chunk.usageMetadata !== null && chunk.usageMetadata !== undefined) answer.usage = toUsage(chunk.usageMetadata);
  const blocked = chunk.promptFeedback?.blockReason;
  if (typeof blocked === 'string') {
    const message = `The provider refused this request (${blocked}).`;
    answer.error = { code: 'bad-request', message, retryable: false };
    return;
  }
  const candidate = chunk.candidates?.[0];
  for (const part of candidate?.content?.parts ?? []) {
    if (part.functionCall !== null && part.functionCall !== undefined) {
      takeCall(part.functionCall, part.thoughtSignature, answer, by);
    } else if (part.thought === true) yield* sayReasoning(answer, part.text);
    else yield* sayText(answer, part.text);
  }
  if (typeof candidate?.finishReason === 'string') takeEnd(candidate.finishReason, candidate.finishMessage, answer);
}

/** Calls come complete. Few models give ids, so the position in the answer replaces a missing one. */
function takeCall(
  call: { readonly id?: string | null | undefined; readonly name: string; readonly args?: unknown },
  signature: string | null | undefined,
  answer: Answer,
  by: string,
): void {
  const input = call.args ?? {};
  answer.calls.push({
    type: 'tool-call',
    id: call.id ?? `call-${answer.calls.length + 1}`,
    name: call.name,
    input,
    raw: JSON.stringify(input),
    ...(typeof signature === 'string' ? { by, state: signature } : {}),
  });
}

function takeEnd(reason: string, message: string | null | undefined, answer: Answer): void {
  if (reason === 'MALFORMED_FUNCTION_CALL' || reason === 'UNEXPECTED_TOOL_CALL') {
    const text = message ?? 'The model wrote a tool call that the provider could not read.';
    answer.error = { code: 'cut', message: text, retryable: true };
    return;
  }
  answer.stopReason = toStopReason(reason, answer);
}

function toStopReason(reason: string, answer: Answer): StopReason {
  if (reason === 'MAX_TOKENS') return 'length';
  if (reason === 'STOP') return answer.calls.length > 0 ? 'tool-calls' : 'stop';
  return 'error';
}

/** The prompt's count includes cached tokens. Thoughts are counted separately and billed as output. */
function toUsage(usage: NonNullable<Chunk['usageMetadata']>): Usage {
  const prompt = (usage.promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0);
  const cacheRead = Math.min(prompt, usage.cachedContentTokenCount ?? 0);
  const reasoning = usage.thoughtsTokenCount ?? 0;
  const output = (usage.candidatesTokenCount ?? 0) + reasoning;
  return { freshInput: prompt - cacheRead, cacheRead, cacheWrite: 0, output, reasoning, estimated: false };
}

/**
 * Yields the `data` of each server-sent event, in order. Handles characters that are split between chunks, and all
 * three line endings. Ignores a last event that no empty line ends.
 */
export async function* readSse(chunks: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    // A carriage return at the end may be the first half of a line ending.
    const whole = rest.endsWith('\r') ? rest.slice(0, -1) : rest;
    const lines = whole.split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? '') + rest.slice(whole.length);
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield data.join('\n');
        data = [];
      } else if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
    }
  }
}
