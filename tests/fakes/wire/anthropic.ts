import { z } from 'zod';

/** A strict validator of Messages requests, written from Anthropic's public API reference and its error texts. */
const visible = z.string().regex(/\S/u, 'text content blocks must contain non-whitespace text');
const cache = z.strictObject({ type: z.literal('ephemeral') }).optional();
const toolId = z.string().regex(/^[a-zA-Z0-9_-]+$/);
const textBlock = z.strictObject({ type: z.literal('text'), text: visible, cache_control: cache });
const userBlock = z.discriminatedUnion('type', [
  textBlock,
  z.strictObject({
    type: z.literal('image'),
    source: z.strictObject({
      type: z.literal('base64'),
      media_type: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
      data: z.string().regex(/^[A-Za-z0-9+/]+=*$/),
    }),
    cache_control: cache,
  }),
  z.strictObject({
    type: z.literal('tool_result'),
    tool_use_id: toolId,
    content: z.string(),
    is_error: z.boolean().optional(),
    cache_control: cache,
  }),
]);
const assistantBlock = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: visible }),
  z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string().min(1) }),
  z.strictObject({ type: z.literal('redacted_thinking'), data: z.string().min(1) }),
  z.strictObject({
    type: z.literal('tool_use'),
    id: toolId,
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
    input: z.record(z.string(), z.unknown()),
  }),
]);
const requestSchema = z.looseObject({
  model: z.string().min(1),
  max_tokens: z.number().int().positive(),
  system: z.array(textBlock).min(1).optional(),
  tools: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
        description: z.string().optional(),
        input_schema: z.looseObject({ type: z.literal('object') }),
        cache_control: cache,
      }),
    )
    .min(1)
    .optional(),
  thinking: z.looseObject({ type: z.string() }).optional(),
  messages: z
    .array(
      z.discriminatedUnion('role', [
        z.strictObject({ role: z.literal('user'), content: z.array(userBlock).min(1) }),
        z.strictObject({ role: z.literal('assistant'), content: z.array(assistantBlock).min(1) }),
      ]),
    )
    .min(1),
});
export type AnthropicRequest = z.infer<typeof requestSchema>;

export const readAnthropic = (body: unknown): AnthropicRequest => requestSchema.parse(body);

/** `mine`: whether this model made the signature. */
export function refuseAnthropic(body: unknown, mine: (signature: string) => boolean): string | null {
  const parsed = requestSchema.safeParse(body);
  if (!parsed.success) return z.prettifyError(parsed.error);
  const { messages, system, tools, thinking } = parsed.data;
  const marks = JSON.stringify({ messages, system, tools }).split('"cache_control"').length - 1;
  if (marks > 4) return 'a maximum of 4 blocks with cache_control may be provided';
  if (messages[0]?.role !== 'user') return 'the first message must use the user role';
  if (messages.at(-1)?.role !== 'user') return 'this model does not support assistant message prefill';
  const seen = new Set<string>();
  let open: string[] = [];
  let before = '';
  for (const [index, message] of messages.entries()) {
    const at = `messages.${index}`;
    if (message.role === before) return `${at}: roles must alternate`;
    before = message.role;
    if (message.role === 'assistant') {
      if (message.content.at(-1)?.type.endsWith('thinking') === true)
        return `${at}: the final block in an assistant message cannot be thinking`;
      if (thinking?.type === 'enabled' && needsThinking(messages, index) && !startsThinking(message.content))
        return `${at}: expected thinking, but found ${message.content[0]?.type}`;
      for (const block of message.content) {
        if (block.type === 'thinking' && !mine(block.signature)) return `${at}: invalid signature in thinking block`;
        if (block.type === 'redacted_thinking' && !mine(block.data)) return `${at}: invalid data in redacted_thinking`;
        if (block.type !== 'tool_use') continue;
        if (seen.has(block.id)) return `${at}: tool_use ids must be unique`;
        if (tools === undefined) return `${at}: tool_use without tools`;
        seen.add(block.id);
        open.push(block.id);
      }
      continue;
    }
    let text = false;
    for (const block of message.content) {
      if (block.type !== 'tool_result') {
        text = true;
        continue;
      }
      if (text) return `${at}: tool_result blocks must come first`;
      if (!open.includes(block.tool_use_id)) return `${at}: unexpected tool_use_id in tool_result blocks`;
      open = open.filter((id) => id !== block.tool_use_id);
    }
    if (open.length > 0) return `${at}: tool_use ids were found without tool_result blocks immediately after`;
  }
  return null;
}

/**
 * Whether a message belongs to the running tool loop: the turns after the last user message that is more than results.
 */
function needsThinking(messages: AnthropicRequest['messages'], index: number): boolean {
  const from = messages.findLastIndex(
    (message) => message.role === 'user' && message.content.some((block) => block.type !== 'tool_result'),
  );
  return index > from;
}

function startsThinking(content: readonly { readonly type: string }[]): boolean {
  return content[0]?.type.endsWith('thinking') === true;
}
