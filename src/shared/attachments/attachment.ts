import { z } from 'zod';
import { blobRefSchema } from '@shared/events/blob-ref.ts';
import { imageTypeSchema } from '@shared/models/model-messages.ts';

const lineRangeSchema = z.object({ from: z.number().int().positive(), to: z.number().int().positive() });
export type LineRange = z.infer<typeof lineRangeSchema>;

const documentSchema = z.object({
  /** The file itself, as it came. */
  blob: blobRefSchema,
  pages: z.number().int().positive(),
  /** The pages from the first on whose text was kept: more than this a message does not take. */
  read: z.number().int().nonnegative(),
  /** How many of those have no text, as pages that are pictures. */
  blank: z.number().int().nonnegative(),
});
export type DocumentFacts = z.infer<typeof documentSchema>;

const chatSchema = z.object({
  conversations: z.number().int().positive(),
  /** Of the text of all of them. A message takes its beginning. */
  bytes: z.number().int().nonnegative(),
});
export type ChatFacts = z.infer<typeof chatSchema>;

const common = {
  /** For people and models: a file name, or what a mention names. */
  name: z.string().min(1).max(500),
  blob: blobRefSchema,
  /** In the workspace, where it comes from there: fences go by it. */
  path: z.string().max(4096).optional(),
  /** It came from a tool server, from this address: words of others. */
  source: z.object({ server: z.string().max(100), uri: z.string().max(4096) }).optional(),
};

/** Something that a person gave with a message: data, kept as a blob. What it is was decided by its bytes. */
export const attachmentSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('image'),
    ...common,
    mediaType: imageTypeSchema,
    width: z.number().int().positive(),
    height: z.number().int().positive(),
  }),
  z.object({
    kind: z.literal('text'),
    ...common,
    lines: lineRangeSchema.optional(),
    /** It is the text of a PDF, by its pages. */
    document: documentSchema.optional(),
    /** It is the text of conversations that a chat app exported, newest first. */
    chat: chatSchema.optional(),
    /** What its letters were written in, where that was not UTF-8. */
    encoding: z.enum(['UTF-16', 'Windows-1252']).optional(),
  }),
]);
export type Attachment = z.infer<typeof attachmentSchema>;
