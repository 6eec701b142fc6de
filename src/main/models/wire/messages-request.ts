import type Anthropic from '@anthropic-ai/sdk';
import { z } from 'zod';
import type { EndpointCall } from '@shared/contract/endpoint-contract.ts';
import type { Effort } from '@shared/models/model-info.ts';
import type { Message, Part } from '@shared/models/model-messages.ts';
import type { ModelTarget } from '../providers/api/api-provider.ts';
import type { AssistantTurn, FittedHistory, FittedTurn, UserPart } from '../providers/call/fit-history.ts';
import { fitHistory } from '../providers/call/fit-history.ts';
import { schemaForWire } from '../providers/call/wire-schema.ts';
import type { ModelRequest } from '../providers/define.ts';
import type { DecodedCall } from './wire-codec.ts';
import { imagePart, parseBody, refuseFields, textOnly, withSystem, decodeTool } from './decode-parts.ts';

type WireRequest = Anthropic.MessageCreateParamsStreaming;
type WireBlock = Anthropic.ContentBlockParam;

/** What is kept of a block of thinking, to send it back in later requests. */
export const thinkingStateSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.object({ type: z.literal('redacted_thinking'), data: z.string() }),
]);

const breakpoint = { cache_control: { type: 'ephemeral' as const } };
const LEAST_THINKING_TOKENS = 1024;
const thinkingTokens: Readonly<Record<Exclude<Effort, 'none'>, number>> = {
  low: 2048,
  medium: 8192,
  high: 16_384,
  max: 32_768,
};

/**
 * Converts our request to the Messages API, with three cache breakpoints: after tools and system text, at the end of
 * the previous request, and at the end of this one. In each step, everything up to the second is read from the
 * cache.
 */
export function encodeMessagesRequest(request: ModelRequest, target: ModelTarget): WireRequest {
  const history = fitHistory(request.messages, {
    by: target.by,
    images: target.images,
    callId: { pattern: /^[a-zA-Z0-9_-]{1,64}$/, length: 24 },
  });
  const tools = request.tools.map(toWireTool);
  const thinking = thinkingOf(request, target, history);
  return {
    model: request.model,
    max_tokens: request.maxOutputTokens,
    stream: true,
    ...(history.system === '' ? {} : { system: [{ type: 'text', text: history.system, ...breakpoint }] }),
    ...(tools.length > 0 ? { tools: history.system === '' ? markLast(tools) : tools } : undeclared(history)),
    messages: marked(history.turns.flatMap(wireMessages)),
    ...thinking,
    // Newer models refuse a temperature, and all models refuse it while they think.
    ...(takesTemperature(request.model) && thinking.thinking === undefined ? { temperature: request.temperature } : {}),
    ...stopFields(request),
    ...outputConfig(request, target),
  };
}

function stopFields({ stop }: ModelRequest): Pick<WireRequest, 'stop_sequences'> {
  const visible = stop.filter((text) => text.trim() !== '');
  return visible.length === 0 ? {} : { stop_sequences: visible };
}

/** The generation of a Claude model from its name: `claude-opus-4-7` is 4.7. Null for other names. */
function generationOf(model: string): number | null {
  const match = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?![\d])/u.exec(model);
  if (match === null) return null;
  return Number(match[1]) + Number(match[2] ?? 0) / 10;
}

function takesTemperature(model: string): boolean {
  const generation = generationOf(model);
  return generation !== null && generation < 4.65;
}

/** From version 4.6 on, a model decides by itself how much to think. Older ones need a number of tokens. */
function thinksByItself(model: string): boolean {
  const generation = generationOf(model);
  return generation === null || generation > 4.55;
}

function thinkingOf(
  { model, effort, maxOutputTokens }: ModelRequest,
  target: ModelTarget,
  history: FittedHistory,
): Pick<WireRequest, 'thinking'> {
  if (!target.reasoning || effort === undefined || effort === 'none') return {};
  if (thinksByItself(model)) return { thinking: { type: 'adaptive', display: 'summarized' } };
  const budget = Math.min(thinkingTokens[effort], maxOutputTokens - LEAST_THINKING_TOKENS);
  if (budget < LEAST_THINKING_TOKENS || !canThinkOn(history)) return {};
  return { thinking: { type: 'enabled', budget_tokens: budget } };
}

/** While an older model thinks, every turn of the current tool loop must begin with its own thinking. */
function canThinkOn({ turns }: FittedHistory): boolean {
  const from = turns.findLastIndex((turn) => turn.role === 'user');
  return turns.slice(from + 1).every((turn) => turn.role === 'user' || turn.parts[0]?.type === 'reasoning');
}

function outputConfig({ model, effort, output }: ModelRequest, target: ModelTarget): Partial<WireRequest> {
  const hasEffort = target.reasoning && effort !== undefined && thinksByItself(model);
  const format = output.type === 'json-schema' ? { type: output.type, schema: schemaForWire(output.schema) } : null;
  if (!hasEffort && format === null) return {};
  return {
    output_config: {
      // Models that always think are asked to think as little as possible.
      ...(hasEffort ? { effort: effort === 'none' ? 'low' : effort } : {}),
      ...(format === null ? {} : { format: { type: 'json_schema', schema: format.schema } }),
    },
  };
}

function toWireTool(tool: ModelRequest['tools'][number]): Anthropic.Tool {
  const schema = schemaForWire(tool.inputSchema);
  return { name: tool.name, description: tool.description, input_schema: { ...schema, type: 'object' } };
}

/** A history with calls needs declared tools, even if none may be called now. */
function undeclared({ turns }: FittedHistory): Partial<WireRequest> {
  const names = new Set<string>();
  for (const turn of turns) if (turn.role === 'assistant') for (const { name } of turn.results) names.add(name);
  if (names.size === 0) return {};
  return {
    tools: [...names].map((name) => ({ name, input_schema: { type: 'object' as const } })),
    tool_choice: { type: 'none' },
  };
}

function wireMessages(turn: FittedTurn): readonly Anthropic.MessageParam[] {
  if (turn.role === 'user') return [{ role: 'user', content: turn.parts.map(userBlock) }];
  const said: Anthropic.MessageParam = { role: 'assistant', content: turn.parts.flatMap(assistantBlock) };
  if (turn.results.length === 0) return [said];
  const results: WireBlock[] = turn.results.map((result) => ({
    type: 'tool_result',
    tool_use_id: result.id,
    content: result.text,
    ...(result.isError ? { is_error: true } : {}),
  }));
  return [said, { role: 'user', content: results }];
}

function userBlock(part: UserPart): WireBlock {
  if (part.type === 'text') return { type: 'text', text: part.text };
  return { type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.data } };
}

function assistantBlock(part: AssistantTurn['parts'][number]): readonly WireBlock[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text }];
    case 'reasoning':
      return part.state === undefined ? [] : [thinkingStateSchema.parse(JSON.parse(part.state))];
    case 'tool-call':
      return [{ type: 'tool_use', id: part.id, name: part.name, input: part.input }];
    default:
      return part satisfies never;
  }
}

function markLast(tools: readonly Anthropic.Tool[]): Anthropic.Tool[] {
  return tools.map((tool, index) => (index === tools.length - 1 ? { ...tool, ...breakpoint } : tool));
}

/** Puts a cache breakpoint at the end of the last user message and of the one before. */
function marked(messages: readonly Anthropic.MessageParam[]): Anthropic.MessageParam[] {
  const joined = joinUsers(messages);
  const users = joined.flatMap((message, index) => (message.role === 'user' ? [index] : [])).slice(-2);
  return joined.map((message, index) => (users.includes(index) ? markEnd(message) : message));
}

/** Joins tool results and the user's following text into one user message, results first. */
function joinUsers(messages: readonly Anthropic.MessageParam[]): readonly Anthropic.MessageParam[] {
  const joined: Anthropic.MessageParam[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role === 'user' && last?.role === 'user') {
      joined[joined.length - 1] = { role: 'user', content: [...blocksOf(last), ...blocksOf(message)] };
    } else joined.push(message);
  }
  return joined;
}

function blocksOf({ content }: Anthropic.MessageParam): readonly WireBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function markEnd(message: Anthropic.MessageParam): Anthropic.MessageParam {
  const blocks = blocksOf(message);
  return {
    role: 'user',
    content: blocks.map((block, index) => (index === blocks.length - 1 ? markBlock(block) : block)),
  };
}

function markBlock(block: WireBlock): WireBlock {
  switch (block.type) {
    case 'text':
    case 'image':
    case 'tool_result':
      return { ...block, ...breakpoint };
    default:
      return block;
  }
}

const textBlock = z.object({ type: z.literal('text'), text: z.string() });
const imageBlock = z.object({
  type: z.literal('image'),
  source: z.object({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
});
const blockSchema = z.discriminatedUnion('type', [
  textBlock,
  imageBlock,
  z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.unknown() }),
  z.object({
    type: z.literal('tool_result'),
    tool_use_id: z.string(),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [textBlock, imageBlock]))]).nullish(),
    is_error: z.boolean().nullish(),
  }),
  // Reasoning of an earlier answer: of no use to another model.
  z.object({ type: z.enum(['thinking', 'redacted_thinking']) }),
]);
type Block = z.infer<typeof blockSchema>;

const bodySchema = z.object({
  model: z.string(),
  max_tokens: z.number().int().positive(),
  system: z.union([z.string(), z.array(textBlock)]).nullish(),
  messages: z
    .array(
      z.object({ role: z.enum(['user', 'assistant', 'system']), content: z.union([z.string(), z.array(blockSchema)]) }),
    )
    .min(1),
  tools: z
    .array(
      z.object({
        // Anthropic's own tools have other types, and run at Anthropic.
        type: z.literal('custom').nullish(),
        name: z.string(),
        description: z.string().nullish(),
        input_schema: z.unknown().optional(),
      }),
    )
    .nullish(),
  tool_choice: z
    .discriminatedUnion('type', [
      z.object({ type: z.enum(['auto', 'any', 'none']) }),
      z.object({ type: z.literal('tool'), name: z.string() }),
    ])
    .nullish(),
  stream: z.boolean().nullish(),
  temperature: z.number().min(0).max(1).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  stop_sequences: z.array(z.string()).nullish(),
  thinking: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('enabled'), budget_tokens: z.number() }),
      z.object({ type: z.enum(['adaptive', 'disabled']) }),
    ])
    .nullish(),
  output_config: z
    .object({
      effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
      format: z.object({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) }).nullish(),
    })
    .nullish(),
});
type Body = z.infer<typeof bodySchema>;

export function decodeMessagesRequest(body: unknown): DecodedCall {
  refuseFields(body, { top_k: [], mcp_servers: [], container: [] });
  const asked = parseBody(bodySchema, body);
  const system =
    typeof asked.system === 'string' ? asked.system : (asked.system ?? []).map(({ text }) => text).join('\n\n');
  const said = messagesOf(asked.messages);
  return {
    isStream: asked.stream === true,
    wantsUsage: true,
    call: {
      model: asked.model,
      messages: withSystem(said, system),
      tools: (asked.tools ?? []).map(({ name, description, input_schema: schema }) =>
        decodeTool(name, description, schema),
      ),
      toolChoice: toolChoiceOf(asked.tool_choice),
      schema: asked.output_config?.format?.schema ?? null,
      stop: (asked.stop_sequences ?? []).filter((text) => text !== ''),
      temperature: asked.temperature ?? null,
      topP: asked.top_p ?? null,
      seed: null,
      maxOutputTokens: asked.max_tokens,
      effort: effortOf(asked),
    },
  };
}

function toolChoiceOf(choice: Body['tool_choice']): EndpointCall['toolChoice'] {
  if (choice === null || choice === undefined) return 'auto';
  if (choice.type === 'tool') return { name: choice.name };
  return choice.type === 'any' ? 'required' : choice.type;
}

function effortOf({ thinking, output_config: output }: Body): EndpointCall['effort'] {
  if (thinking?.type === 'disabled') return 'none';
  const effort = output?.effort ?? null;
  if (effort !== null) return effort === 'xhigh' ? 'max' : effort;
  if (thinking?.type !== 'enabled') return null;
  return thinking.budget_tokens < 4_000 ? 'low' : thinking.budget_tokens < 16_000 ? 'medium' : 'high';
}

function messagesOf(messages: Body['messages']): Message[] {
  const toolOf = new Map<string, string>();
  return messages.flatMap(({ role, content }): Message[] => {
    if (typeof content === 'string') return [{ role, parts: [{ type: 'text', text: content }] }];
    const results: Message[] = [];
    const parts: Part[] = [];
    for (const block of content) {
      if (block.type === 'tool_use') toolOf.set(block.id, block.name);
      if (block.type === 'tool_result') results.push(resultOf(block, toolOf));
      else parts.push(...partOf(block));
    }
    return parts.length === 0 ? results : [...results, { role, parts }];
  });
}

function resultOf(block: Extract<Block, { type: 'tool_result' }>, toolOf: ReadonlyMap<string, string>): Message {
  const { tool_use_id: id, content, is_error: isError } = block;
  const text = typeof content === 'string' ? content : textOnly((content ?? []).flatMap(partOf), '\n');
  const name = toolOf.get(id) ?? '';
  return { role: 'tool', parts: [{ type: 'tool-result', id, name, text, isError: isError === true }] };
}

function partOf(block: Exclude<Block, { type: 'tool_result' }>): Part[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text }];
    case 'image':
      return [imagePart(block.source.media_type, block.source.data)];
    case 'tool_use':
      return [{ type: 'tool-call', id: block.id, name: block.name, input: block.input }];
    case 'thinking':
    case 'redacted_thinking':
      return [];
    default:
      return block satisfies never;
  }
}
