import type Anthropic from '@anthropic-ai/sdk';
import { z } from 'zod';
import type { Answer, Wire } from '../call/stream-answer.ts';
import { sayReasoning, sayReasoningBlock, sayText, toolCallOf } from '../call/stream-answer.ts';
import type { thinkingStateSchema } from './anthropic-messages.ts';
import { toAnthropicWire } from './anthropic-messages.ts';
import type { ModelRequest, ProviderError, StreamPart } from '../define.ts';
import { anthropicSdk } from '../api/sdk-packages.ts';
import { errorOfRefusal } from '../api/http-errors.ts';
import { brokenStream, connectionError } from '../openai/openai-errors.ts';
import type { ModelTarget } from '../api/api-provider.ts';
import type { StopReason } from '@shared/events/call-events.ts';

type Event = Anthropic.RawMessageStreamEvent;

interface OpenBlock {
  readonly type: 'tool_use' | 'thinking' | 'redacted_thinking' | 'other';
  readonly id: string;
  readonly name: string;
  /** Arguments, or thinking. */
  text: string;
  signature: string;
}

interface Reading {
  by: string;
  readonly open: Map<number, OpenBlock>;
  /** Copied to the answer only at the last event, which confirms that it is complete. */
  stopReason: StopReason | null;
}

/** The Messages API through Anthropic's package. Use it for one call only. */
export function anthropicWire(
  connect: () => Promise<Anthropic>,
  targetOf: (request: ModelRequest) => ModelTarget,
): Wire<Event> {
  const reading: Reading = { by: '', open: new Map(), stopReason: null };
  return {
    open: async (request, signal) => {
      const target = targetOf(request);
      reading.by = target.by;
      const client = await connect();
      // `messages.create` is this call, and warns of old models on the console, past everything that makes a text safe to see.
      return client.post<AsyncIterable<Event>>('/v1/messages', {
        body: toAnthropicWire(request, target),
        stream: true,
        signal,
      });
    },
    take: (event, answer) => takeEvent(event, answer, reading),
    errorOf: toError,
  };
}

function* takeEvent(event: Event, answer: Answer, reading: Reading): Iterable<StreamPart> {
  switch (event.type) {
    case 'message_start':
      answer.model = event.message.model;
      takeUsage(event.message.usage, answer);
      return;
    case 'content_block_start':
      yield* startBlock(event.index, event.content_block, answer, reading);
      return;
    case 'content_block_delta':
      yield* takeDelta(event, answer, reading);
      return;
    case 'content_block_stop':
      yield* endBlock(event.index, answer, reading);
      return;
    case 'message_delta':
      takeUsage(event.usage, answer);
      if (event.delta.stop_reason !== null) reading.stopReason = toStopReason(event.delta.stop_reason);
      return;
    case 'message_stop':
      answer.stopReason = reading.stopReason;
      return;
    default:
      // Ignores pings and unknown events.
      return;
  }
}

function* startBlock(
  index: number,
  block: Anthropic.ContentBlock,
  answer: Answer,
  reading: Reading,
): Iterable<StreamPart> {
  const empty = { id: '', name: '', text: '', signature: '' };
  switch (block.type) {
    case 'tool_use':
      reading.open.set(index, { ...empty, type: 'tool_use', id: block.id, name: block.name });
      return;
    case 'thinking':
      reading.open.set(index, { ...empty, type: 'thinking', text: block.thinking, signature: block.signature });
      yield* sayReasoning(answer, block.thinking);
      return;
    case 'redacted_thinking':
      reading.open.set(index, { ...empty, type: 'redacted_thinking', text: block.data });
      return;
    case 'text':
      yield* sayText(answer, block.text);
      return;
    default:
      return;
  }
}

function* takeDelta(
  { index, delta }: Anthropic.RawContentBlockDeltaEvent,
  answer: Answer,
  reading: Reading,
): Iterable<StreamPart> {
  const block = reading.open.get(index);
  switch (delta.type) {
    case 'text_delta':
      yield* sayText(answer, delta.text);
      return;
    case 'input_json_delta':
      if (block !== undefined) block.text += delta.partial_json;
      return;
    case 'thinking_delta':
      if (block !== undefined) block.text += delta.thinking;
      yield* sayReasoning(answer, delta.thinking);
      return;
    case 'signature_delta':
      if (block !== undefined) block.signature += delta.signature;
      return;
    default:
      return;
  }
}

function* endBlock(index: number, answer: Answer, { open, by }: Reading): Iterable<StreamPart> {
  const block = open.get(index);
  open.delete(index);
  if (block === undefined) return;
  if (block.type === 'tool_use') {
    answer.calls.push(toolCallOf(block.id, block.name, block.text));
    return;
  }
  // The service does not accept a block without its signature.
  if (block.type === 'thinking' && block.signature === '') return;
  const state: z.infer<typeof thinkingStateSchema> =
    block.type === 'thinking'
      ? { type: 'thinking', thinking: block.text, signature: block.signature }
      : { type: 'redacted_thinking', data: block.text };
  const text = block.type === 'thinking' ? block.text : '';
  yield* sayReasoningBlock({ type: 'reasoning', text, by, state: JSON.stringify(state) });
}

const count = z.number().int().nonnegative().nullish();
const usageSchema = z.object({
  input_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  output_tokens: count,
  output_tokens_details: z.object({ thinking_tokens: count }).nullish(),
});

/** `input_tokens` excludes cached tokens. Counts grow during the answer, and the last ones are valid. */
function takeUsage(usage: unknown, answer: Answer): void {
  const parsed = usageSchema.safeParse(usage ?? {});
  if (!parsed.success) return;
  const counted = parsed.data;
  const before = answer.usage;
  // Without an input count nothing is counted, because the output alone would make the cost too low.
  if (before === null && typeof counted.input_tokens !== 'number') return;
  answer.usage = {
    freshInput: counted.input_tokens ?? before?.freshInput ?? 0,
    cacheRead: counted.cache_read_input_tokens ?? before?.cacheRead ?? 0,
    cacheWrite: counted.cache_creation_input_tokens ?? before?.cacheWrite ?? 0,
    output: Math.max(counted.output_tokens ?? 0, before?.output ?? 0),
    reasoning: counted.output_tokens_details?.thinking_tokens ?? before?.reasoning ?? 0,
    estimated: false,
  };
}

function toStopReason(reason: Anthropic.StopReason): StopReason {
  switch (reason) {
    case 'end_turn':
    case 'pause_turn':
      return 'stop';
    case 'tool_use':
      return 'tool-calls';
    case 'stop_sequence':
      return 'stop-sequence';
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'refusal':
      return 'error';
    default:
      return reason satisfies never;
  }
}

const bodySchema = z.object({ error: z.object({ type: z.string().nullish(), message: z.string().nullish() }) });

function toError(error: unknown): ProviderError | null {
  const sdk = anthropicSdk.loaded();
  if (sdk !== null && error instanceof sdk.APIUserAbortError) return null;
  if (sdk !== null && error instanceof sdk.APIConnectionError) return connectionError(error);
  if (sdk === null || !(error instanceof sdk.APIError)) return brokenStream(error);
  const body = bodySchema.safeParse(error.error);
  const said = body.success ? body.data.error : {};
  return errorOfRefusal({
    status: error.status,
    message: said.message ?? error.message,
    headers: error.headers,
    kind: said.type ?? '',
  });
}
