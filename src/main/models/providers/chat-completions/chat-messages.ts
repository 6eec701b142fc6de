import type OpenAI from 'openai';
import { textOf } from '@shared/models/model-messages.ts';
import type { Effort } from '@shared/models/model-info.ts';
import type { ChatPreset } from './chat-presets.ts';
import type { ModelRequest } from '../define.ts';
import type { AssistantTurn, FittedTurn, UserPart } from '../call/fit-history.ts';
import { fitHistory } from '../call/fit-history.ts';
import { callsSchema } from '../call/forced-tool-call.ts';
import { functionTool, schemaForWire } from '../call/wire-schema.ts';
import type { ModelTarget } from '../api/api-provider.ts';

type WireMessage = OpenAI.Chat.Completions.ChatCompletionMessageParam;
type WireRequest = OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming;

/** The service to send to, and what is known of the model. */
export interface ChatTarget extends ModelTarget {
  readonly service: ChatPreset;
  /** Fields that this server accepts beyond those of the service. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Fields that services have added to Chat Completions. */
interface Extras {
  readonly random_seed?: number;
  readonly reasoning?: { readonly effort?: string; readonly enabled?: boolean };
  readonly thinking?: { readonly type: 'enabled' | 'disabled' };
  readonly cache_control?: { readonly type: 'ephemeral' };
}

/** Converts our request to Chat Completions, with the peculiarities of the service. */
export function toChatWire(request: ModelRequest, target: ChatTarget): WireRequest & Extras {
  const { service } = target;
  const { callId, answersResults } = service;
  const history = fitHistory(request.messages, { ...target, callId, answersResults });
  return {
    model: request.model,
    messages: [
      ...(history.system === '' ? [] : [{ role: 'system' as const, content: history.system }]),
      ...history.turns.flatMap((turn) => wireMessages(turn, service)),
    ],
    stream: true,
    ...(service.streamOptions ? { stream_options: { include_usage: true } } : {}),
    ...sampling(request, target),
    [service.maxTokens]: request.maxOutputTokens,
    ...(request.seed === null ? {} : { [service.seed]: request.seed }),
    ...(request.stop.length === 0 ? {} : { stop: request.stop.slice(0, 4) }),
    // If the whole answer must be a call by schema, a list of tools would offer a second way.
    ...(request.tools.length === 0 || request.output.type === 'tool-calls'
      ? {}
      : { tools: request.tools.map(functionTool) }),
    ...(request.effort === undefined ? {} : effortFields(request.effort, service)),
    // A router passes the cache request on to services that need one.
    ...(service.effort === 'reasoning' && request.model.startsWith('anthropic/')
      ? { cache_control: { type: 'ephemeral' as const } }
      : {}),
    ...responseFormat(request),
    ...target.more,
  };
}

function sampling(
  { temperature, topP, isSamplingChosen }: ModelRequest,
  { service, reasoning }: ChatTarget,
): Partial<WireRequest> {
  if (service.isSamplingUnsure && isSamplingChosen !== true) return {};
  // OpenAI's own models refuse a temperature while they think. Behind Azure, only the settings say which models those
  // are.
  if (reasoning && service.maxTokens === 'max_completion_tokens') return {};
  return service.strictGreedy && temperature === 0 ? { temperature } : { temperature, top_p: topP };
}

function effortFields(effort: Effort, service: ChatPreset): Partial<WireRequest> & Extras {
  switch (service.effort) {
    case 'reasoning':
      return { reasoning: effort === 'none' ? { enabled: false } : { effort: effort === 'max' ? 'xhigh' : effort } };
    case 'thinking':
      if (effort === 'none') return { thinking: { type: 'disabled' } };
      return { thinking: { type: 'enabled' }, reasoning_effort: effort };
    case 'reasoning_effort':
      return { reasoning_effort: effort === 'max' ? 'high' : effort };
    default:
      return service.effort satisfies never;
  }
}

function responseFormat({ output, tools }: ModelRequest): Partial<WireRequest> {
  const schemaFormat = (name: string, schema: Record<string, unknown>): Partial<WireRequest> => ({
    response_format: { type: 'json_schema', json_schema: { name, schema } },
  });
  switch (output.type) {
    case 'text':
      return {};
    case 'json-schema':
      return schemaFormat('answer', schemaForWire(output.schema));
    case 'choice':
      return schemaFormat('choice', { type: 'string', enum: [...output.options] });
    case 'tool-calls':
      return schemaFormat('call', callsSchema(tools));
    default:
      return output satisfies never;
  }
}

function wireMessages(turn: FittedTurn, service: ChatPreset): readonly WireMessage[] {
  if (turn.role === 'user') return [{ role: 'user', content: userContent(turn.parts) }];
  const results = turn.results.map((result) => ({
    role: 'tool' as const,
    tool_call_id: result.id,
    content: result.text,
  }));
  return [assistantMessage(turn, service), ...results];
}

function userContent(parts: readonly UserPart[]): string | OpenAI.Chat.Completions.ChatCompletionContentPart[] {
  const texts = parts.filter((part) => part.type === 'text');
  if (texts.length === parts.length) return texts.map((part) => part.text).join('\n\n');
  return parts.map((part) =>
    part.type === 'text'
      ? { type: 'text', text: part.text }
      : { type: 'image_url', image_url: { url: `data:${part.mediaType};base64,${part.data}` } },
  );
}

function assistantMessage(turn: AssistantTurn, service: ChatPreset): WireMessage {
  const text = textOf(turn);
  const calls = turn.parts.filter((part) => part.type === 'tool-call');
  const said = { role: 'assistant' as const, ...reasoningFields(turn, service, calls.length > 0) };
  if (calls.length === 0) return { ...said, content: text };
  return {
    ...said,
    content: text === '' ? null : text,
    tool_calls: calls.map((call) => ({
      id: call.id,
      type: 'function' as const,
      function: { name: call.name, arguments: JSON.stringify(call.input) },
    })),
  };
}

/**
 * One service wants the reasoning of every turn that called a tool, even if it is empty. Others want only what they
 * signed.
 */
function reasoningFields(turn: AssistantTurn, { reasoningBack }: ChatPreset, hasCalls: boolean): object {
  const blocks = turn.parts.filter((part) => part.type === 'reasoning');
  if (reasoningBack === 'reasoning_content' && hasCalls) {
    return { reasoning_content: blocks.map((part) => part.text).join('') };
  }
  if (reasoningBack !== 'reasoning_details') return {};
  const details = blocks.flatMap((part) => listIn(part.state));
  return details.length === 0 ? {} : { reasoning_details: details };
}

function listIn(state: string | undefined): readonly unknown[] {
  if (state === undefined) return [];
  const parsed: unknown = JSON.parse(state);
  return Array.isArray(parsed) ? parsed : [];
}
