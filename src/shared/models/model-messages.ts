import { z } from 'zod';
import { blobRefSchema } from '@shared/events/blob-ref.ts';

/**
 * Data that a service wants back unread with the history (a signature, an encrypted block), and whom it came from: the
 * kind of provider and the model, such as `anthropic/claude-x`. For anybody else it is useless and causes an error.
 */
const carriedSchema = { by: z.string().optional(), state: z.string().optional() };

/** The image types that every service with vision takes. Images travel in base64. */
export const imageTypeSchema = z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** One part of what a model said or saw. */
export const partSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('reasoning'), text: z.string(), ...carriedSchema }),
  z.object({
    type: z.literal('image'),
    mediaType: imageTypeSchema,
    /** Empty in a stored request, where `blob` holds the bytes. */
    data: z.string(),
    name: z.string().optional(),
    width: z.number().int().optional(),
    height: z.number().int().optional(),
    blob: blobRefSchema.optional(),
  }),
  z.object({
    type: z.literal('tool-call'),
    id: z.string(),
    name: z.string(),
    input: z.unknown(),
    raw: z.string().optional(),
    ...carriedSchema,
  }),
  z.object({
    type: z.literal('tool-result'),
    id: z.string(),
    name: z.string(),
    text: z.string(),
    isError: z.boolean(),
  }),
]);
export type Part = z.infer<typeof partSchema>;
export type ToolCallPart = Extract<Part, { type: 'tool-call' }>;
export type ReasoningPart = Extract<Part, { type: 'reasoning' }>;

export const messageSchema = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  parts: z.array(partSchema),
});
export type Message = z.infer<typeof messageSchema>;

type TextOrOther = Extract<Part, { type: 'text' }> | { readonly type: Exclude<Part['type'], 'text'> };

/** The visible text of a message or answer: its text parts joined, without reasoning and calls. */
export function textOf({ parts }: { readonly parts: readonly TextOrOther[] }): string {
  return parts
    .filter((part) => part.type === 'text')
    .map((part) => part.text)
    .join('');
}

export function textMessage(role: Message['role'], text: string): Message {
  return { role, parts: [{ type: 'text', text }] };
}
