import type OpenAI from 'openai';
import type { z } from 'zod';
import type { Usage } from '@shared/money/token-cost.ts';
import type { ModelTarget } from '../providers/api/api-provider.ts';
import { errorOfRefusal } from '../providers/api/http-errors.ts';
import type { Answer } from '../providers/call/stream-answer.ts';
import { sayReasoning, sayReasoningBlock, sayText, toolCallOf } from '../providers/call/stream-answer.ts';
import type { ProviderError, StreamPart } from '../providers/define.ts';
import { openaiError } from './chat-codec.ts';
import type { reasoningStateSchema } from './responses-request.ts';
import { decodeResponsesRequest, encodeResponsesRequest } from './responses-request.ts';
import type { AnswerEncoder, AskedAnswer, EndedPush, SaidPush, WireCodec } from './wire-codec.ts';
import { collect, collectAnswer, event, promptTokens } from './wire-codec.ts';

type Event = OpenAI.Responses.ResponseStreamEvent;

function* takeEvent(taken: Event, answer: Answer, by: string): Iterable<StreamPart> {
  switch (taken.type) {
    case 'response.created':
      answer.model = taken.response?.model ?? null;
      return;
    case 'response.output_text.delta':
    case 'response.refusal.delta':
      yield* sayText(answer, taken.delta);
      return;
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      yield* sayReasoning(answer, taken.delta);
      return;
    case 'response.output_item.done':
      yield* takeItem(taken.item, answer, by);
      return;
    case 'response.completed':
    case 'response.incomplete':
      takeEnd(taken.response, answer);
      return;
    case 'response.failed':
      takeEnd(taken.response, answer);
      answer.error = refused(taken.response?.error?.code, taken.response?.error?.message);
      return;
    case 'error':
      answer.error = refused(taken.code, taken.message);
      return;
    default:
      // Ignores dozens of other events, about features that we do not use.
      return;
  }
}

function refused(code: string | null | undefined, message: string | null | undefined): ProviderError {
  const text = message ?? 'The provider stopped and gave no reason.';
  return errorOfRefusal({ status: undefined, message: text, kind: code ?? '' });
}

/** Uses finished items only. Deltas of arguments are not shown. */
function* takeItem(item: OpenAI.Responses.ResponseOutputItem, answer: Answer, by: string): Iterable<StreamPart> {
  if (item.type === 'function_call') {
    if (item.status !== 'incomplete') answer.calls.push(toolCallOf(item.call_id, item.name, item.arguments));
    return;
  }
  if (item.type !== 'reasoning') return;
  const encrypted = item.encrypted_content;
  if (typeof encrypted !== 'string' || encrypted === '') return;
  const summary = item.summary.map((piece) => piece.text);
  const state: z.infer<typeof reasoningStateSchema> = { id: item.id, summary, encrypted };
  yield* sayReasoningBlock({ type: 'reasoning', text: summary.join('\n\n'), by, state: JSON.stringify(state) });
}

function takeEnd(response: OpenAI.Responses.Response, answer: Answer): void {
  answer.model = response.model ?? answer.model;
  if (response.usage !== undefined && response.usage !== null) answer.usage = toUsage(response.usage);
  if (response.status === 'completed') answer.stopReason = answer.calls.length > 0 ? 'tool-calls' : 'stop';
  if (response.status === 'incomplete')
    answer.stopReason = response.incomplete_details?.reason === 'content_filter' ? 'error' : 'length';
}

/** `input_tokens` includes cached tokens, both read and written. `output_tokens` includes reasoning. */
function toUsage(usage: OpenAI.Responses.ResponseUsage): Usage {
  const input = usage.input_tokens;
  const cacheRead = Math.min(input, usage.input_tokens_details?.cached_tokens ?? 0);
  const cacheWrite = Math.min(input - cacheRead, usage.input_tokens_details?.cache_write_tokens ?? 0);
  return {
    freshInput: input - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output: usage.output_tokens,
    reasoning: usage.output_tokens_details?.reasoning_tokens ?? 0,
    estimated: false,
  };
}

interface WrittenItem {
  readonly id: string;
  readonly type: string;
  readonly status: string;
}

type Write = (type: string, data: object) => string;

/** Writes an answer as OpenAI Responses. Stores nothing for later calls. Leaves out reasoning, as OpenAI does. */
function encodeResponsesAnswer(asked: AskedAnswer): AnswerEncoder {
  const said = collectAnswer();
  let sequence = 0;
  const write: Write = (type, data) => {
    sequence += 1;
    return event({ type, sequence_number: sequence - 1, ...data }, type);
  };
  const items = writtenItems(asked.id, write);
  const begun = (status: string): object => responseOf(asked, { status, output: [], usage: null });
  return {
    pause: ': waiting\n\n',
    start: () =>
      write('response.created', { response: begun('in_progress') }) +
      write('response.in_progress', { response: begun('in_progress') }),
    said: (push) => {
      collect(said, push);
      if (push.type === 'text') return push.text === '' ? '' : items.addText(push.text);
      return push.type === 'call' ? items.addCall(push) : '';
    },
    end: (ended) => {
      const closed = items.closeText();
      const response = finished(asked, ended, items.output);
      return closed + write(isCut(ended) ? 'response.incomplete' : 'response.completed', { response });
    },
    broken: ({ message, code }) => {
      const error = { code: 'server_error', message };
      const response = { ...responseOf(asked, { status: 'failed', output: items.output, usage: null }), error };
      return write('error', { code, message, param: null }) + write('response.failed', { response });
    },
    whole: (ended) => {
      const texts = said.text === '' ? [] : [messageItem(`msg_${asked.id}_0`, said.text)];
      const calls = said.calls.map((push, index) => callItem(`fc_${asked.id}_${index + texts.length}`, push));
      return finished(asked, ended, [...texts, ...calls]);
    },
  };
}

/** The items of a streamed answer, in order. Each one opens, grows and closes. */
function writtenItems(answerId: string, write: Write) {
  const output: WrittenItem[] = [];
  let text: { readonly id: string; readonly at: number; words: string } | null = null;
  const openText = (): string => {
    const id = `msg_${answerId}_${output.length}`;
    text = { id, at: output.length, words: '' };
    const item = { id, type: 'message', role: 'assistant', status: 'in_progress', content: [] };
    output.push(item);
    const place = { item_id: id, output_index: text.at, content_index: 0 };
    return (
      write('response.output_item.added', { output_index: text.at, item }) +
      write('response.content_part.added', { ...place, part: textPart('') })
    );
  };
  const closeText = (): string => {
    if (text === null) return '';
    const { id, at, words } = text;
    text = null;
    const item = messageItem(id, words);
    output[at] = item;
    const place = { item_id: id, output_index: at, content_index: 0 };
    return (
      write('response.output_text.done', { ...place, text: words, logprobs: [] }) +
      write('response.content_part.done', { ...place, part: textPart(words) }) +
      write('response.output_item.done', { output_index: at, item })
    );
  };
  return {
    output,
    closeText,
    addText: (words: string): string => {
      const opened = text === null ? openText() : '';
      if (text === null) return opened;
      text.words += words;
      const place = { item_id: text.id, output_index: text.at, content_index: 0 };
      return opened + write('response.output_text.delta', { ...place, delta: words, logprobs: [] });
    },
    addCall: (push: Extract<SaidPush, { type: 'call' }>): string => {
      const closed = closeText();
      const at = output.length;
      const item = callItem(`fc_${answerId}_${at}`, push);
      output.push(item);
      const place = { item_id: item.id, output_index: at };
      const opened = { ...item, status: 'in_progress', arguments: '' };
      return [
        closed,
        write('response.output_item.added', { output_index: at, item: opened }),
        write('response.function_call_arguments.delta', { ...place, delta: item.arguments }),
        write('response.function_call_arguments.done', { ...place, name: item.name, arguments: item.arguments }),
        write('response.output_item.done', { output_index: at, item }),
      ].join('');
    },
  };
}

const textPart = (text: string): object => ({ type: 'output_text', text, annotations: [], logprobs: [] });

function messageItem(id: string, text: string): WrittenItem {
  const item = { id, type: 'message', role: 'assistant', status: 'completed', content: [textPart(text)] };
  return item;
}

function callItem(
  id: string,
  { id: callId, name, input }: Extract<SaidPush, { type: 'call' }>,
): WrittenItem & { readonly name: string; readonly arguments: string; readonly call_id: string } {
  return { id, type: 'function_call', status: 'completed', call_id: callId, name, arguments: JSON.stringify(input) };
}

const isCut = ({ stopReason }: EndedPush): boolean => stopReason === 'length' || stopReason === 'repetition';

function finished(asked: AskedAnswer, ended: EndedPush, output: readonly WrittenItem[]): object {
  const status = isCut(ended) ? 'incomplete' : 'completed';
  const response = responseOf(asked, { status, output, usage: encodeUsage(ended) });
  return {
    ...response,
    model: ended.model,
    ...(isCut(ended) ? { incomplete_details: { reason: 'max_output_tokens' } } : {}),
  };
}

function encodeUsage({ usage }: EndedPush): object {
  const input = promptTokens(usage);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input + usage.output,
  };
}

function responseOf(
  { id, at, call }: AskedAnswer,
  state: { readonly status: string; readonly output: readonly WrittenItem[]; readonly usage: object | null },
): object {
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: Math.floor(at / 1000),
    model: call.model,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: false,
    previous_response_id: null,
    store: false,
    temperature: call.temperature,
    top_p: call.topP,
    max_output_tokens: call.maxOutputTokens,
    tool_choice: typeof call.toolChoice === 'object' ? { type: 'function', ...call.toolChoice } : call.toolChoice,
    tools: call.tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      name,
      description,
      parameters: inputSchema,
      strict: false,
    })),
    ...state,
  };
}

/** OpenAI's Responses. */
export const responsesCodec = {
  encodeRequest: encodeResponsesRequest,
  decodeRequest: decodeResponsesRequest,
  encodeAnswer: encodeResponsesAnswer,
  decodeAnswer: (_request, { by }) => ({ take: (taken, answer) => takeEvent(taken, answer, by) }),
  encodeFailure: openaiError,
} satisfies WireCodec<Event, ModelTarget>;
