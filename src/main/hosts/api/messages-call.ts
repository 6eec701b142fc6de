import { z } from 'zod';
import type { EndpointCall } from '@shared/contract/endpoint-contract.ts';
import type { Message, Part } from '@shared/models/model-messages.ts';
import type { ReadCall } from './wire-api.ts';
import { imagePart, parseBody, refuseFields, toolInputSchema, WireProblem } from './wire-api.ts';

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
        input_schema: z.unknown(),
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

export function readMessagesCall(body: unknown): ReadCall {
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
      messages: system === '' ? said : [{ role: 'system', parts: [{ type: 'text', text: system }] }, ...said],
      tools: (asked.tools ?? []).map(({ name, description, input_schema: schema }) => ({
        name,
        description: description ?? '',
        inputSchema: toolInputSchema(schema),
      })),
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
  const text =
    typeof content === 'string'
      ? content
      : (content ?? [])
          .map((part) => {
            if (part.type === 'text') return part.text;
            throw new WireProblem('The result of a tool has to be text.');
          })
          .join('\n');
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
