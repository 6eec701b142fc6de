import type Anthropic from '@anthropic-ai/sdk';
import { z } from 'zod';
import type { StopReason } from '@shared/events/call-events.ts';
import type { ModelTarget } from '../providers/api/api-provider.ts';
import type { Answer } from '../providers/call/stream-answer.ts';
import { sayReasoning, sayReasoningBlock, sayText, toolCallOf } from '../providers/call/stream-answer.ts';
import type { StreamPart } from '../providers/define.ts';
import type { thinkingStateSchema } from './messages-request.ts';
import { decodeMessagesRequest, encodeMessagesRequest } from './messages-request.ts';
import type {
  AnswerDecoder,
  AnswerEncoder,
  AskedAnswer,
  EndedPush,
  SaidPush,
  WireCodec,
  WireFailure,
} from './wire-codec.ts';
import { collect, collectAnswer, event } from './wire-codec.ts';

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
  readonly by: string;
  readonly open: Map<number, OpenBlock>;
  /** Copied to the answer only at the last event, which confirms that it is complete. */
  stopReason: StopReason | null;
}

function decodeMessagesAnswer(_request: unknown, { by }: ModelTarget): AnswerDecoder<Event> {
  const reading: Reading = { by, open: new Map(), stopReason: null };
  return { take: (taken, answer) => takeEvent(taken, answer, reading) };
}

function* takeEvent(taken: Event, answer: Answer, reading: Reading): Iterable<StreamPart> {
  switch (taken.type) {
    case 'message_start':
      answer.model = taken.message.model;
      takeUsage(taken.message.usage, answer);
      return;
    case 'content_block_start':
      yield* startBlock(taken.index, taken.content_block, answer, reading);
      return;
    case 'content_block_delta':
      yield* takeDelta(taken, answer, reading);
      return;
    case 'content_block_stop':
      yield* endBlock(taken.index, answer, reading);
      return;
    case 'message_delta':
      takeUsage(taken.usage, answer);
      if (taken.delta.stop_reason !== null) reading.stopReason = toStopReason(taken.delta.stop_reason);
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

interface WrittenEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

const named = (data: WrittenEvent): string => event(data, data.type);

/** Writes an answer as Anthropic Messages. No reasoning: its blocks need a signature that Dewpoint cannot make. */
function encodeMessagesAnswer({ call, id }: AskedAnswer): AnswerEncoder {
  const said = collectAnswer();
  let index = -1;
  let isTextOpen = false;
  const closeText = (): string => {
    if (!isTextOpen) return '';
    isTextOpen = false;
    return named({ type: 'content_block_stop', index });
  };
  const text = (words: string): string => {
    let lines = '';
    if (!isTextOpen) {
      index += 1;
      isTextOpen = true;
      lines = named({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } });
    }
    return lines + named({ type: 'content_block_delta', index, delta: { type: 'text_delta', text: words } });
  };
  const toolUse = (push: Extract<SaidPush, { type: 'call' }>): string => {
    const before = closeText();
    index += 1;
    const block = { type: 'tool_use', id: push.id, name: push.name, input: {} };
    const delta = { type: 'input_json_delta', partial_json: JSON.stringify(push.input) };
    return [
      before,
      named({ type: 'content_block_start', index, content_block: block }),
      named({ type: 'content_block_delta', index, delta }),
      named({ type: 'content_block_stop', index }),
    ].join('');
  };
  const head = { id: `msg_${id}`, type: 'message', role: 'assistant', model: call.model } as const;
  return {
    pause: named({ type: 'ping' }),
    start: () => {
      const usage = { input_tokens: 0, output_tokens: 0 };
      const message = { ...head, content: [], stop_reason: null, stop_sequence: null, usage };
      return named({ type: 'message_start', message });
    },
    said: (push) => {
      collect(said, push);
      if (push.type === 'text') return push.text === '' ? '' : text(push.text);
      return push.type === 'call' ? toolUse(push) : '';
    },
    end: (ended) => {
      const delta = { stop_reason: stopReason(ended.stopReason), stop_sequence: null };
      return [
        closeText(),
        named({ type: 'message_delta', delta, usage: usageOf(ended) }),
        named({ type: 'message_stop' }),
      ].join('');
    },
    broken: (failure) => event(anthropicError(failure), 'error'),
    whole: (ended) => ({
      ...head,
      model: ended.model,
      content: [
        ...(said.text === '' ? [] : [{ type: 'text', text: said.text }]),
        ...said.calls.map(({ id: callId, name, input }) => ({ type: 'tool_use', id: callId, name, input })),
      ],
      stop_reason: stopReason(ended.stopReason),
      stop_sequence: null,
      usage: usageOf(ended),
    }),
  };
}

function stopReason(reason: StopReason): Anthropic.Message['stop_reason'] {
  switch (reason) {
    case 'tool-calls':
      return 'tool_use';
    case 'length':
    case 'repetition':
      return 'max_tokens';
    case 'stop-sequence':
      return 'stop_sequence';
    default:
      return 'end_turn';
  }
}

function usageOf({ usage }: EndedPush): object {
  return {
    input_tokens: usage.freshInput,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: usage.cacheWrite,
    output_tokens: usage.output,
  };
}

const types: Partial<Readonly<Record<WireFailure['code'], string>>> = {
  'wrong-key': 'authentication_error',
  'not-allowed': 'permission_error',
  forbidden: 'permission_error',
  fenced: 'permission_error',
  'unknown-model': 'not_found_error',
  'not-found': 'not_found_error',
  'too-large': 'request_too_large',
  busy: 'rate_limit_error',
  limit: 'rate_limit_error',
  'rate-limit': 'rate_limit_error',
  unavailable: 'overloaded_error',
  failed: 'api_error',
};

function anthropicError({ code, message }: WireFailure): object {
  return { type: 'error', error: { type: types[code] ?? 'invalid_request_error', message } };
}

/** Anthropic's Messages. */
export const messagesCodec = {
  encodeRequest: encodeMessagesRequest,
  decodeRequest: decodeMessagesRequest,
  encodeAnswer: encodeMessagesAnswer,
  decodeAnswer: decodeMessagesAnswer,
  encodeFailure: anthropicError,
} satisfies WireCodec<Event, ModelTarget>;
