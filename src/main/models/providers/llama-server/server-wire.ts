import type OpenAI from 'openai';
import { z } from 'zod';
import type { EngineCounts } from '@shared/events/call-report.ts';
import type { RunningServer } from '../../engine/llama-server/own-llama-server.ts';
import { chatCodec } from '../../wire/chat-codec.ts';
import type { ChatTarget } from '../../wire/chat-request.ts';
import { chatPreset } from '../chat-completions/chat-presets.ts';
import { chatWire } from '../chat-completions/chat-provider.ts';
import { openaiClient } from '../openai/openai-client.ts';
import type { Wire } from '../call/stream-answer.ts';
import type { ModelRequest } from '../define.ts';
import { thinkingOf } from '../llama-cpp/engine-call.ts';

type Chunk = OpenAI.Chat.Completions.ChatCompletionChunk;

export interface ServerCall {
  readonly server: Pick<RunningServer, 'address' | 'key'>;
  readonly get: typeof fetch;
  /** `ID/MODEL`. Only its own thoughts are sent back to it. */
  readonly by: string;
  /** It was loaded with a projector. */
  readonly sees: boolean;
  /** Thinking can be switched. */
  readonly thinks: boolean;
}

const count = z.number().nonnegative();
const saidSchema = z.object({
  prompt_progress: z.object({ total: count, cache: count, processed: count }).nullish().catch(null),
  timings: z
    .object({
      prompt_n: count,
      prompt_ms: count,
      predicted_n: count,
      predicted_ms: count,
      draft_n: count.default(0),
      draft_n_accepted: count.default(0),
    })
    .nullish()
    .catch(null),
});

export interface DraftCounts {
  readonly drafted: number;
  readonly accepted: number;
}

/** Chat Completions, with this server's additions: its reading progress and its own counters. */
export function serverWire(
  call: ServerCall,
): Wire<Chunk> & { readonly counts: () => EngineCounts | null; readonly drafts: () => DraftCounts } {
  const { server, get } = call;
  const connect = () => openaiClient({ baseUrl: `${server.address}/v1`, key: server.key, fetch: get });
  const wire = chatWire(connect, (request) => targetOf(call, request));
  let counts: EngineCounts | null = null;
  let drafts: DraftCounts = { drafted: 0, accepted: 0 };
  return {
    ...wire,
    counts: () => counts,
    drafts: () => drafts,
    take: function* (chunk, answer) {
      const said = saidSchema.safeParse(chunk).data ?? {};
      const { prompt_progress: read, timings } = said;
      if (read !== null && read !== undefined)
        yield { type: 'progress', phase: 'prefill', done: read.processed, total: read.total };
      if (timings !== null && timings !== undefined) {
        drafts = { drafted: timings.draft_n, accepted: timings.draft_n_accepted };
        counts = {
          readTokens: timings.prompt_n,
          readMs: timings.prompt_ms,
          // The first token comes from reading the prompt.
          writtenTokens: Math.max(0, timings.predicted_n - 1),
          writtenMs: timings.predicted_ms,
        };
      }
      yield* wire.take(chunk, answer);
    },
  };
}

const inputSchema = z.object({ input_tokens: count });

/** Counts the request as the server would read it. Null if this build cannot count. */
export async function countInput(call: ServerCall, request: ModelRequest, signal: AbortSignal): Promise<number | null> {
  const { server, get } = call;
  const body = chatCodec.encodeRequest(request, targetOf(call, request));
  const response = await get(`${server.address}/v1/chat/completions/input_tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
  return inputSchema.safeParse(await response.json()).data?.input_tokens ?? null;
}

function targetOf({ by, sees, thinks }: ServerCall, request: ModelRequest): ChatTarget {
  const thinking = thinks ? thinkingOf(request).thinking : undefined;
  return {
    by,
    images: sees,
    reasoning: thinks,
    service: { ...chatPreset('llama-server'), reasoningBack: 'reasoning_content' },
    more: {
      cache_prompt: true,
      return_progress: true,
      // Sets the remaining sampling options as in the built-in engine.
      top_k: 40,
      min_p: 0,
      ...(thinks ? switchOf(thinking) : {}),
      ...choiceOf(request),
    },
  };
}

/** A grammar for the bare text. A schema would put it in quotes. */
function choiceOf({ output }: ModelRequest): Readonly<Record<string, unknown>> {
  if (output.type !== 'choice') return {};
  const options = output.options.map((option) => JSON.stringify(option)).join(' | ');
  return { grammar: `root ::= ${options}`, response_format: undefined };
}

/** Switches thinking on or off. `thinkingOf` says when an answer comes without it. */
function switchOf(thinking: ReturnType<typeof thinkingOf>['thinking']): Readonly<Record<string, unknown>> {
  if (thinking === undefined) return { reasoning_effort: 'none', chat_template_kwargs: { enable_thinking: false } };
  const { effort, mostTokens } = thinking;
  return {
    reasoning_effort: effort,
    chat_template_kwargs: { enable_thinking: true },
    thinking_budget_tokens: mostTokens,
  };
}
