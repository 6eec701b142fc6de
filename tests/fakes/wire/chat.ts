import { z } from 'zod';

/**
 * A strict validator of Chat Completions requests, written from the public API references of OpenAI, Mistral and
 * DeepSeek. Says why a service would refuse a request. Empty if it would accept it.
 */
export interface ChatStrictness {
  readonly callId: RegExp;
  /** Mistral: results are followed by the assistant. */
  readonly answersResults: boolean;
  /** DeepSeek: a turn with calls includes its reasoning. */
  readonly wantsReasoning: boolean;
}

export const openaiStrictness: ChatStrictness = {
  callId: /^.{1,40}$/su,
  answersResults: false,
  wantsReasoning: false,
};
export const mistralStrictness: ChatStrictness = {
  callId: /^[a-zA-Z0-9]{9}$/u,
  answersResults: true,
  wantsReasoning: false,
};
export const deepseekStrictness: ChatStrictness = { ...openaiStrictness, wantsReasoning: true };

const text = z.string().min(1);
const userContent = z.union([
  text,
  z
    .array(
      z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('text'), text }),
        z.strictObject({
          type: z.literal('image_url'),
          image_url: z.strictObject({
            url: z.string().regex(/^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/),
          }),
        }),
      ]),
    )
    .min(1),
]);
const call = z.strictObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/), arguments: z.string() }),
});
const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: text }),
  z.strictObject({ role: z.literal('user'), content: userContent }),
  z.strictObject({
    role: z.literal('assistant'),
    content: text.nullable(),
    tool_calls: z.array(call).min(1).optional(),
    reasoning_content: z.string().optional(),
    reasoning_details: z
      .array(z.looseObject({ type: z.string() }))
      .min(1)
      .optional(),
  }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: z.string(), content: text }),
]);
const requestSchema = z.looseObject({ model: text, messages: z.array(message).min(1) });

export function refuseChat(body: unknown, strict: ChatStrictness): string | null {
  const parsed = requestSchema.safeParse(body);
  if (!parsed.success) return z.prettifyError(parsed.error);
  const seen = new Set<string>();
  let open: string[] = [];
  let before = 'start';
  for (const [index, entry] of parsed.data.messages.entries()) {
    const at = `messages[${index}]`;
    if (entry.role !== 'tool' && open.length > 0) return `${at}: calls ${open.join(', ')} have no results`;
    if (entry.role === 'system' && index > 0) return `${at}: a system message that is not the first`;
    if (entry.role === before && entry.role !== 'tool') return `${at}: two messages of ${entry.role} in a row`;
    if (entry.role === 'assistant' && before !== 'user' && before !== 'tool') return `${at}: begins with the assistant`;
    if (entry.role === 'user' && before === 'tool' && strict.answersResults)
      return `${at}: unexpected role 'user' after role 'tool'`;
    if (entry.role === 'tool') {
      if (!open.includes(entry.tool_call_id)) return `${at}: the result of no open call`;
      open = open.filter((id) => id !== entry.tool_call_id);
    }
    if (entry.role === 'assistant') {
      if (entry.content === null && entry.tool_calls === undefined) return `${at}: says nothing`;
      for (const { id, function: called } of entry.tool_calls ?? []) {
        if (!strict.callId.test(id)) return `${at}: call id ${id}`;
        if (seen.has(id)) return `${at}: call id ${id} stands twice`;
        if (!isObjectJson(called.arguments)) return `${at}: arguments ${called.arguments}`;
        seen.add(id);
        open.push(id);
      }
      if (strict.wantsReasoning && entry.tool_calls !== undefined && entry.reasoning_content === undefined)
        return `${at}: the reasoning_content in the thinking mode must be passed back`;
      if (!strict.wantsReasoning && entry.reasoning_content !== undefined) return `${at}: reasoning_content`;
    }
    before = entry.role;
  }
  if (open.length > 0) return `the last calls have no results`;
  return before === 'user' || before === 'tool' ? null : `the last message is of ${before}`;
}

export function isObjectJson(json: string): boolean {
  const parsed: unknown = JSON.parse(json);
  return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
}
