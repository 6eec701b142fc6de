import { z } from 'zod';

/**
 * A strict validator of `streamGenerateContent` requests, written from the public API reference and its error texts.
 */
const name = z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
const object = z.record(z.string(), z.unknown());
const part = z.union([
  z.strictObject({ text: z.string().min(1) }),
  z.strictObject({
    inlineData: z.strictObject({
      mimeType: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
      data: z.string().regex(/^[A-Za-z0-9+/]+=*$/),
    }),
  }),
  z.strictObject({ functionCall: z.strictObject({ name, args: object }), thoughtSignature: z.string().optional() }),
  z.strictObject({ functionResponse: z.strictObject({ name, response: object }) }),
]);
const requestSchema = z.strictObject({
  systemInstruction: z.strictObject({ parts: z.array(part).min(1) }).optional(),
  contents: z.array(z.strictObject({ role: z.enum(['user', 'model']), parts: z.array(part).min(1) })).min(1),
  tools: z.array(z.looseObject({ functionDeclarations: z.array(z.looseObject({ name })).min(1) })).optional(),
  generationConfig: z.looseObject({ maxOutputTokens: z.number().int().positive() }),
});

const allowed = 'skip_thought_signature_validator';

/** `mine`: whether this model made the signature. `signs`: the model is of the third generation or later. */
export function refuseGemini(body: unknown, mine: (signature: string) => boolean, signs: boolean): string | null {
  const parsed = requestSchema.safeParse(body);
  if (!parsed.success) return z.prettifyError(parsed.error);
  const { contents } = parsed.data;
  if (contents[0]?.role !== 'user') return 'contents must begin with the user';
  if (contents.at(-1)?.role !== 'user') return 'contents must end with the user';
  for (const [index, { role, parts }] of contents.entries()) {
    const at = `contents[${index}]`;
    const calls = parts.flatMap((one) => ('functionCall' in one ? [one] : []));
    const results = parts.flatMap((one) => ('functionResponse' in one ? [one.functionResponse.name] : []));
    const before = contents[index - 1];
    if (role === 'user') {
      if (calls.length > 0) return `${at}: a call of the user`;
      if (results.length > 0 && results.length !== parts.length) return `${at}: results beside other parts`;
      const asked = (before?.parts ?? []).flatMap((one) => ('functionCall' in one ? [one.functionCall.name] : []));
      if (results.join() !== asked.join())
        return `${at}: the number of function response parts must equal the number of function call parts`;
      continue;
    }
    if (results.length > 0) return `${at}: a result of the model`;
    if (calls.length > 0 && before?.role !== 'user')
      return `${at}: a function call turn comes immediately after a user turn or a function response turn`;
    for (const [place, { thoughtSignature }] of calls.entries()) {
      if (thoughtSignature === undefined && signs && place === 0)
        return `${at}: function call is missing a thought_signature`;
      if (thoughtSignature !== undefined && thoughtSignature !== allowed && !mine(thoughtSignature))
        return `${at}: corrupted thought signature`;
    }
  }
  return null;
}
