import { z } from 'zod';
import { isObjectJson } from './chat.ts';

/** A strict validator of Responses requests with `store: false`, written from OpenAI's public API reference. */
const text = z.string().min(1);
const callId = z.string().min(1).max(64);
const item = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('message'),
    role: z.enum(['user', 'assistant']),
    content: z.union([
      text,
      z
        .array(
          z.discriminatedUnion('type', [
            z.strictObject({ type: z.literal('input_text'), text }),
            z.strictObject({
              type: z.literal('input_image'),
              detail: z.enum(['auto', 'low', 'high']),
              image_url: z.string().regex(/^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/),
            }),
          ]),
        )
        .min(1),
    ]),
  }),
  z.strictObject({
    type: z.literal('reasoning'),
    id: z.string().regex(/^rs_/),
    summary: z.array(z.strictObject({ type: z.literal('summary_text'), text: z.string() })),
    encrypted_content: text,
  }),
  z.strictObject({
    type: z.literal('function_call'),
    call_id: callId,
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
    arguments: z.string(),
  }),
  z.strictObject({ type: z.literal('function_call_output'), call_id: callId, output: z.string() }),
]);
const requestSchema = z.looseObject({
  model: text,
  instructions: text.optional(),
  input: z.array(item).min(1),
  store: z.literal(false),
  prompt_cache_key: z.string().max(64),
  max_output_tokens: z.number().int().min(16),
});

/** `mine`: whether this model made the encrypted block. No other block can be decrypted. */
export function refuseResponses(body: unknown, mine: (encrypted: string) => boolean): string | null {
  const parsed = requestSchema.safeParse(body);
  if (!parsed.success) return z.prettifyError(parsed.error);
  const seen = new Set<string>();
  const open = new Set<string>();
  for (const [index, entry] of parsed.data.input.entries()) {
    const at = `input[${index}]`;
    const next = parsed.data.input[index + 1];
    if (entry.type === 'message' && entry.role === 'assistant' && typeof entry.content !== 'string')
      return `${at}: input parts of the assistant`;
    if (entry.type === 'reasoning') {
      if (!mine(entry.encrypted_content)) return `${at}: the encrypted content could not be verified`;
      const isFollowed =
        next?.type === 'function_call' ||
        next?.type === 'reasoning' ||
        (next?.type === 'message' && next.role === 'assistant');
      if (!isFollowed) return `${at}: reasoning without its required following item`;
    }
    if (entry.type === 'function_call') {
      if (seen.has(entry.call_id)) return `${at}: call id ${entry.call_id} stands twice`;
      if (!isObjectJson(entry.arguments)) return `${at}: arguments`;
      seen.add(entry.call_id);
      open.add(entry.call_id);
    }
    if (entry.type === 'function_call_output' && !open.delete(entry.call_id))
      return `${at}: no tool call found for function call output`;
    if (entry.type === 'message' && open.size > 0) return `${at}: no tool output found for function call`;
  }
  return open.size > 0 ? 'no tool output found for the last calls' : null;
}
