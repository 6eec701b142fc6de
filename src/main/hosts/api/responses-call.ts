import { z } from 'zod';
import type { EndpointCall } from '@shared/contract/endpoint-contract.ts';
import type { Message, Part } from '@shared/models/model-messages.ts';
import { readEffort } from './chat-call.ts';
import type { ReadCall } from './wire-api.ts';
import { imageOfUrl, parseArguments, parseBody, refuseFields, toolInputSchema, WireProblem } from './wire-api.ts';

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
type Item = z.infer<typeof itemSchema>;

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
        parameters: z.unknown(),
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

export function readResponsesCall(body: unknown): ReadCall {
  refuseFields(body, refused);
  const asked = parseBody(bodySchema, body);
  const { tool_choice: choice, input, instructions } = asked;
  const said: Message[] =
    typeof input === 'string' ? [{ role: 'user', parts: [{ type: 'text', text: input }] }] : messagesOf(input);
  const system = instructions ?? '';
  const format = asked.text?.format;
  return {
    isStream: asked.stream === true,
    wantsUsage: true,
    call: {
      model: asked.model,
      messages: system === '' ? said : [{ role: 'system', parts: [{ type: 'text', text: system }] }, ...said],
      tools: (asked.tools ?? []).map(({ name, description, parameters }) => ({
        name,
        description: description ?? '',
        inputSchema: toolInputSchema(parameters),
      })),
      toolChoice: typeof choice === 'object' && choice !== null ? { name: choice.name } : (choice ?? 'auto'),
      schema:
        format?.type === 'json_schema' ? format.schema : format?.type === 'json_object' ? { type: 'object' } : null,
      stop: [],
      temperature: asked.temperature ?? null,
      topP: asked.top_p ?? null,
      seed: null,
      maxOutputTokens: asked.max_output_tokens ?? null,
      effort: readEffort(asked.reasoning?.effort),
    } satisfies EndpointCall,
  };
}

/** Joins consecutive items of the assistant into one message. */
function messagesOf(items: readonly Item[]): Message[] {
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
        const text = textOnly(item.output);
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

function textOnly(content: Content): string {
  return partsOf(content)
    .map((part) => {
      if (part.type === 'text') return part.text;
      throw new WireProblem('The result of a tool has to be text.');
    })
    .join('');
}
