import { z } from 'zod';
import type { EndpointCall } from '@shared/contract/endpoint-contract.ts';
import type { Message, Part } from '@shared/models/model-messages.ts';
import { effortSchema } from '@shared/models/model-info.ts';
import type { ReadCall } from './wire-api.ts';
import { imageOfUrl, parseArguments, parseBody, refuseFields, toolInputSchema, WireProblem } from './wire-api.ts';

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

export const toolChoiceSchema = z.union([
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
        function: z.object({ name: z.string(), description: z.string().nullish(), parameters: z.unknown() }),
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

export function readChatCall(body: unknown): ReadCall {
  refuseFields(body, refused);
  const asked = parseBody(bodySchema, body);
  const { tool_choice: choice, response_format: format } = asked;
  return {
    isStream: asked.stream === true,
    wantsUsage: asked.stream_options?.include_usage === true,
    call: {
      model: asked.model,
      messages: chatMessages(asked.messages),
      tools: (asked.tools ?? []).map(({ function: { name, description, parameters } }) => ({
        name,
        description: description ?? '',
        inputSchema: toolInputSchema(parameters),
      })),
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
      effort: readEffort(asked.reasoning_effort),
    },
  };
}

/** Translates OpenAI's words for the thinking effort into Dewpoint's. */
export function readEffort(word: string | null | undefined): EndpointCall['effort'] {
  if (word === null || word === undefined) return null;
  const known = effortSchema.safeParse(word === 'minimal' ? 'low' : word === 'xhigh' ? 'max' : word);
  if (!known.success) throw new WireProblem(`reasoning effort: "${word}" is not known.`);
  return known.data;
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
        const text = textOnly(message.content);
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

function textOnly(content: Content): string {
  const parts = partsOf(content);
  if (parts.some(({ type }) => type !== 'text')) throw new WireProblem('The result of a tool has to be text.');
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
