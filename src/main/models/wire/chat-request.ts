import type OpenAI from 'openai';
import { z } from 'zod';
import type { Message, Part } from '@shared/models/model-messages.ts';
import { textOf } from '@shared/models/model-messages.ts';
import type { Effort } from '@shared/models/model-info.ts';
import type { ModelTarget } from '../providers/api/api-provider.ts';
import type { AssistantTurn, FittedTurn, UserPart } from '../providers/call/fit-history.ts';
import { fitHistory } from '../providers/call/fit-history.ts';
import { callsSchema } from '../providers/call/forced-tool-call.ts';
import { functionTool, schemaForWire } from '../providers/call/wire-schema.ts';
import type { ChatPreset } from '../providers/chat-completions/chat-presets.ts';
import type { ModelRequest } from '../providers/define.ts';
import type { DecodedCall } from './wire-codec.ts';
import {
  decodeEffort,
  imageOfUrl,
  parseArguments,
  parseBody,
  refuseFields,
  textOnly,
  decodeTool,
  urlOfImage,
} from './decode-parts.ts';

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
export function encodeChatRequest(request: ModelRequest, target: ChatTarget): WireRequest & Extras {
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
      : { type: 'image_url', image_url: { url: urlOfImage(part) } },
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

const contentSchema = z.union([
  z.string(),
  z.array(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('text'), text: z.string() }),
      z.object({ type: z.literal('refusal'), refusal: z.string() }),
      z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) }),
    ]),
  ),
]);

const messageSchema = z.discriminatedUnion('role', [
  z.object({ role: z.enum(['system', 'developer', 'user']), content: contentSchema }),
  z.object({
    role: z.literal('assistant'),
    content: contentSchema.nullish(),
    tool_calls: z
      .array(
        z.object({
          id: z.string(),
          type: z.literal('function').default('function'),
          function: z.object({ name: z.string(), arguments: z.string() }),
        }),
      )
      .nullish(),
  }),
  z.object({ role: z.literal('tool'), tool_call_id: z.string(), content: contentSchema }),
]);

const toolChoiceSchema = z.union([
  z.enum(['auto', 'none', 'required']),
  z.object({ type: z.literal('function'), function: z.object({ name: z.string() }) }),
]);

const bodySchema = z.object({
  model: z.string(),
  messages: z.array(messageSchema).min(1),
  tools: z
    .array(
      z.object({
        type: z.literal('function'),
        function: z.object({ name: z.string(), description: z.string().nullish(), parameters: z.unknown().optional() }),
      }),
    )
    .nullish(),
  tool_choice: toolChoiceSchema.nullish(),
  response_format: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('text') }),
      z.object({ type: z.literal('json_object') }),
      z.object({
        type: z.literal('json_schema'),
        json_schema: z.object({ schema: z.record(z.string(), z.unknown()) }),
      }),
    ])
    .nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  max_tokens: z.number().int().positive().nullish(),
  max_completion_tokens: z.number().int().positive().nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  seed: z.number().int().nullish(),
  reasoning_effort: z.string().nullish(),
});

/** Fields that would change the answer and are not supported. The listed values change nothing and are accepted. */
const refused = {
  n: [1],
  logprobs: [false],
  top_logprobs: [0],
  logit_bias: [],
  frequency_penalty: [0],
  presence_penalty: [0],
  functions: [],
  function_call: [],
  audio: [],
  prediction: [],
  web_search_options: [],
} as const;

/** Reads a call of another program. Throws a `WireProblem` for what is not supported. */
export function decodeChatRequest(body: unknown): DecodedCall {
  refuseFields(body, refused);
  const asked = parseBody(bodySchema, body);
  const { tool_choice: choice, response_format: format } = asked;
  return {
    isStream: asked.stream === true,
    wantsUsage: asked.stream_options?.include_usage === true,
    call: {
      model: asked.model,
      messages: chatMessages(asked.messages),
      tools: (asked.tools ?? []).map(({ function: { name, description, parameters } }) =>
        decodeTool(name, description, parameters),
      ),
      toolChoice: typeof choice === 'object' && choice !== null ? { name: choice.function.name } : (choice ?? 'auto'),
      schema:
        format?.type === 'json_schema'
          ? format.json_schema.schema
          : format?.type === 'json_object'
            ? { type: 'object' }
            : null,
      stop: (typeof asked.stop === 'string' ? [asked.stop] : (asked.stop ?? [])).filter((text) => text !== ''),
      temperature: asked.temperature ?? null,
      topP: asked.top_p ?? null,
      seed: asked.seed ?? null,
      maxOutputTokens: asked.max_completion_tokens ?? asked.max_tokens ?? null,
      effort: decodeEffort(asked.reasoning_effort),
    },
  };
}

function chatMessages(messages: readonly z.infer<typeof messageSchema>[]): Message[] {
  const toolOf = new Map<string, string>();
  return messages.map((message): Message => {
    switch (message.role) {
      case 'system':
      case 'developer':
        return { role: 'system', parts: partsOf(message.content) };
      case 'user':
        return { role: 'user', parts: partsOf(message.content) };
      case 'assistant': {
        const calls = (message.tool_calls ?? []).map((call): Part => {
          toolOf.set(call.id, call.function.name);
          const { name, arguments: given } = call.function;
          return { type: 'tool-call', id: call.id, name, input: parseArguments(given) };
        });
        return { role: 'assistant', parts: [...partsOf(message.content ?? ''), ...calls] };
      }
      case 'tool': {
        const id = message.tool_call_id;
        const text = textOnly(partsOf(message.content));
        return { role: 'tool', parts: [{ type: 'tool-result', id, name: toolOf.get(id) ?? '', text, isError: false }] };
      }
      default:
        return message satisfies never;
    }
  });
}

type Content = z.infer<typeof contentSchema>;

function partsOf(content: Content): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return content.map((part): Part => {
    if (part.type === 'image_url') return imageOfUrl(part.image_url.url);
    return { type: 'text', text: part.type === 'text' ? part.text : part.refusal };
  });
}
