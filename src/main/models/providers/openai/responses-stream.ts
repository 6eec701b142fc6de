import type OpenAI from 'openai';
import type { z } from 'zod';
import type { Usage } from '@shared/money/token-cost.ts';
import type { Answer, Wire } from '../call/stream-answer.ts';
import { sayReasoning, sayReasoningBlock, sayText, toolCallOf } from '../call/stream-answer.ts';
import type { ModelRequest, ProviderError, StreamPart } from '../define.ts';
import { errorOfRefusal } from '../api/http-errors.ts';
import { toProviderError } from './openai-errors.ts';
import type { reasoningStateSchema } from './responses-messages.ts';
import { toResponsesWire } from './responses-messages.ts';
import type { ModelTarget } from '../api/api-provider.ts';

type Event = OpenAI.Responses.ResponseStreamEvent;

/** The Responses API through the `openai` package. Use it for one call only. */
export function responsesWire(
  connect: () => Promise<OpenAI>,
  targetOf: (request: ModelRequest) => ModelTarget,
): Wire<Event> {
  let by = '';
  return {
    open: async (request, signal) => {
      const target = targetOf(request);
      by = target.by;
      const client = await connect();
      return client.responses.create(toResponsesWire(request, target), { signal });
    },
    take: (event, answer) => takeEvent(event, answer, by),
    errorOf: toProviderError,
  };
}

function* takeEvent(event: Event, answer: Answer, by: string): Iterable<StreamPart> {
  switch (event.type) {
    case 'response.created':
      answer.model = event.response?.model ?? null;
      return;
    case 'response.output_text.delta':
    case 'response.refusal.delta':
      yield* sayText(answer, event.delta);
      return;
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      yield* sayReasoning(answer, event.delta);
      return;
    case 'response.output_item.done':
      yield* takeItem(event.item, answer, by);
      return;
    case 'response.completed':
    case 'response.incomplete':
      takeEnd(event.response, answer);
      return;
    case 'response.failed':
      takeEnd(event.response, answer);
      answer.error = refused(event.response?.error?.code, event.response?.error?.message);
      return;
    case 'error':
      answer.error = refused(event.code, event.message);
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
