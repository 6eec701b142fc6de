import { z } from 'zod';
import type { StopReason } from '@shared/events/call-events.ts';
import type { Usage } from '@shared/money/token-cost.ts';
import type { ModelTarget } from '../providers/api/api-provider.ts';
import { errorOfRefusal } from '../providers/api/http-errors.ts';
import type { Answer } from '../providers/call/stream-answer.ts';
import { sayReasoning, sayText } from '../providers/call/stream-answer.ts';
import type { ProviderError, StreamPart } from '../providers/define.ts';
import { encodeGeminiRequest } from './gemini-request.ts';
import type { WireCodec } from './wire-codec.ts';

/** What a refusal says. */
export const geminiErrorSchema = z.object({
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

export function errorOfGemini(
  error: z.infer<typeof geminiErrorSchema>['error'],
  response: Response | null,
): ProviderError {
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
  const refused = geminiErrorSchema.safeParse(event);
  if (refused.success) {
    answer.error = errorOfGemini(refused.data.error, null);
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

/** Google's `streamGenerateContent`. The endpoint does not answer in it, so it encodes requests and decodes answers. */
export const geminiCodec = {
  encodeRequest: encodeGeminiRequest,
  decodeAnswer: (_request, { by }) => ({ take: (event, answer) => takeChunk(event, answer, by) }),
} satisfies Pick<WireCodec<unknown, ModelTarget>, 'encodeRequest' | 'decodeAnswer'>;
