import type OpenAI from 'openai';
import { z } from 'zod';
import type { Effort } from '@shared/models/model-info.ts';
import type { Message, Part } from '@shared/models/model-messages.ts';
import type { ModelTarget } from '../providers/api/api-provider.ts';
import type { AssistantTurn, FittedTurn, UserPart } from '../providers/call/fit-history.ts';
import { fitHistory } from '../providers/call/fit-history.ts';
import { schemaForWire } from '../providers/call/wire-schema.ts';
import type { ModelRequest } from '../providers/define.ts';
import type { DecodedCall } from './wire-codec.ts';
import {
  decodeEffort,
  imageOfUrl,
  parseArguments,
  parseBody,
  refuseFields,
  textOnly,
  withSystem,
  decodeTool,
  urlOfImage,
} from './decode-parts.ts';

type InputItem = OpenAI.Responses.ResponseInputItem;
type WireRequest = OpenAI.Responses.ResponseCreateParamsStreaming;

/** What is kept of a reasoning item, to send it back in later requests. */
export const reasoningStateSchema = z.object({
  id: z.string(),
  summary: z.array(z.string()),
  encrypted: z.string(),
});

/** The service refuses longer keys. */
const LONGEST_CACHE_KEY = 64;
const LEAST_OUTPUT_TOKENS = 16;

/**
 * Converts our request to the Responses API. The service stores nothing (`store: false`), so the whole history is
 * sent each time, including this model's own encrypted reasoning.
 */
export function encodeResponsesRequest(request: ModelRequest, target: ModelTarget): WireRequest {
  const history = fitHistory(request.messages, {
    by: target.by,
    images: target.images,
    callId: { pattern: /^[a-zA-Z0-9_-]{1,64}$/, length: 24 },
  });
  return {
    model: request.model,
    ...(history.system === '' ? {} : { instructions: history.system }),
    input: history.turns.flatMap(items),
    stream: true,
    store: false,
    max_output_tokens: Math.max(LEAST_OUTPUT_TOKENS, request.maxOutputTokens),
    prompt_cache_key: request.cacheKey.slice(-LONGEST_CACHE_KEY),
    ...(target.reasoning
      ? { include: ['reasoning.encrypted_content'], ...effortFields(request.effort) }
      : { temperature: request.temperature, top_p: request.topP }),
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(toWireTool) }),
    ...textFormat(request),
  };
}

/**
 * Does not ask for summaries of the reasoning, because the service refuses them to accounts without a verified
 * identity.
 */
function effortFields(effort: Effort | undefined): Pick<WireRequest, 'reasoning'> {
  if (effort === undefined) return {};
  // Not every OpenAI model knows the highest level. All that are sold today know the one below.
  return { reasoning: { effort: effort === 'max' ? 'xhigh' : effort } };
}

function toWireTool(tool: ModelRequest['tools'][number]): OpenAI.Responses.FunctionTool {
  return {
    type: 'function',
    name: tool.name,
    description: tool.description,
    parameters: schemaForWire(tool.inputSchema),
    // Strict schemas must list every property as required, but ours have optional ones.
    strict: false,
  };
}

function textFormat({ output }: ModelRequest): Pick<WireRequest, 'text'> {
  if (output.type === 'json-schema') {
    const schema = schemaForWire(output.schema);
    return { text: { format: { type: 'json_schema', name: 'answer', schema, strict: false } } };
  }
  return {};
}

function items(turn: FittedTurn): readonly InputItem[] {
  if (turn.role === 'user') return [{ type: 'message', role: 'user', content: turn.parts.map(userContent) }];
  const results = turn.results.map((result) => ({
    type: 'function_call_output' as const,
    call_id: result.id,
    output: result.text,
  }));
  return [...turn.parts.flatMap((part) => assistantItem(part)), ...results];
}

function userContent(part: UserPart): OpenAI.Responses.ResponseInputText | OpenAI.Responses.ResponseInputImage {
  if (part.type === 'text') return { type: 'input_text', text: part.text };
  return { type: 'input_image', detail: 'auto', image_url: urlOfImage(part) };
}

function assistantItem(part: AssistantTurn['parts'][number]): readonly InputItem[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'message', role: 'assistant', content: part.text }];
    case 'reasoning':
      return part.state === undefined ? [] : [reasoningItem(part.state)];
    case 'tool-call':
      return [{ type: 'function_call', call_id: part.id, name: part.name, arguments: JSON.stringify(part.input) }];
    default:
      return part satisfies never;
  }
}

/** The state as `takeItem` wrote it. */
function reasoningItem(state: string): OpenAI.Responses.ResponseReasoningItem {
  const { id, summary, encrypted } = reasoningStateSchema.parse(JSON.parse(state));
  return {
    type: 'reasoning',
    id,
    summary: summary.map((text) => ({ type: 'summary_text', text })),
    encrypted_content: encrypted,
  };
}

const contentSchema = z.union([
  z.string(),
  z.array(
    z.discriminatedUnion('type', [
      z.object({ type: z.enum(['input_text', 'output_text', 'text']), text: z.string() }),
      z.object({ type: z.literal('refusal'), refusal: z.string() }),
      z.object({ type: z.literal('input_image'), image_url: z.string() }),
    ]),
  ),
]);

const itemSchema = z.union([
  z.object({ type: z.literal('function_call'), call_id: z.string(), name: z.string(), arguments: z.string() }),
  z.object({ type: z.literal('function_call_output'), call_id: z.string(), output: contentSchema }),
  // Reasoning of an earlier answer: of no use to another model.
  z.object({ type: z.literal('reasoning') }),
  z.object({
    type: z.literal('message').default('message'),
    role: z.enum(['user', 'assistant', 'system', 'developer']),
    content: contentSchema,
  }),
]);
type DecodedItem = z.infer<typeof itemSchema>;

const bodySchema = z.object({
  model: z.string(),
  input: z.union([z.string(), z.array(itemSchema).min(1)]),
  instructions: z.string().nullish(),
  tools: z
    .array(
      z.object({
        type: z.literal('function'),
        name: z.string(),
        description: z.string().nullish(),
        parameters: z.unknown().optional(),
      }),
    )
    .nullish(),
  tool_choice: z
    .union([z.enum(['auto', 'none', 'required']), z.object({ type: z.literal('function'), name: z.string() })])
    .nullish(),
  text: z
    .object({
      format: z
        .discriminatedUnion('type', [
          z.object({ type: z.literal('text') }),
          z.object({ type: z.literal('json_object') }),
          z.object({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) }),
        ])
        .nullish(),
    })
    .nullish(),
  stream: z.boolean().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  max_output_tokens: z.number().int().positive().nullish(),
  reasoning: z.object({ effort: z.string().nullish() }).nullish(),
});

/** Fields that would change the answer and are not supported. The listed values change nothing and are accepted. */
const refused = {
  previous_response_id: [],
  conversation: [],
  prompt: [],
  background: [false],
  top_logprobs: [0],
  truncation: ['disabled'],
} as const;

export function decodeResponsesRequest(body: unknown): DecodedCall {
  refuseFields(body, refused);
  const asked = parseBody(bodySchema, body);
  const { tool_choice: choice, input, instructions } = asked;
  const said: Message[] =
    typeof input === 'string' ? [{ role: 'user', parts: [{ type: 'text', text: input }] }] : messagesOf(input);
  const format = asked.text?.format;
  return {
    isStream: asked.stream === true,
    wantsUsage: true,
    call: {
      model: asked.model,
      messages: withSystem(said, instructions ?? ''),
      tools: (asked.tools ?? []).map(({ name, description, parameters }) => decodeTool(name, description, parameters)),
      toolChoice: typeof choice === 'object' && choice !== null ? { name: choice.name } : (choice ?? 'auto'),
      schema:
        format?.type === 'json_schema' ? format.schema : format?.type === 'json_object' ? { type: 'object' } : null,
      stop: [],
      temperature: asked.temperature ?? null,
      topP: asked.top_p ?? null,
      seed: null,
      maxOutputTokens: asked.max_output_tokens ?? null,
      effort: decodeEffort(asked.reasoning?.effort),
    },
  };
}

/** Joins consecutive items of the assistant into one message. */
function messagesOf(items: readonly DecodedItem[]): Message[] {
  const toolOf = new Map<string, string>();
  const messages: { readonly role: Message['role']; readonly parts: Part[] }[] = [];
  const add = (role: Message['role'], parts: readonly Part[]): void => {
    const last = messages.at(-1);
    if (last?.role === role && role === 'assistant') last.parts.push(...parts);
    else if (parts.length > 0) messages.push({ role, parts: [...parts] });
  };
  for (const item of items) {
    switch (item.type) {
      case 'message':
        add(item.role === 'developer' ? 'system' : item.role, partsOf(item.content));
        break;
      case 'function_call':
        toolOf.set(item.call_id, item.name);
        add('assistant', [
          { type: 'tool-call', id: item.call_id, name: item.name, input: parseArguments(item.arguments) },
        ]);
        break;
      case 'function_call_output': {
        const name = toolOf.get(item.call_id) ?? '';
        const text = textOnly(partsOf(item.output));
        add('tool', [{ type: 'tool-result', id: item.call_id, name, text, isError: false }]);
        break;
      }
      case 'reasoning':
        break;
      default:
        item satisfies never;
    }
  }
  return messages;
}

type Content = z.infer<typeof contentSchema>;

function partsOf(content: Content): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return content.map((part): Part => {
    if (part.type === 'input_image') return imageOfUrl(part.image_url);
    return { type: 'text', text: part.type === 'refusal' ? part.refusal : part.text };
  });
}
