import { z } from 'zod';
import { documentKinds } from '@shared/documents/document-text.ts';
import { blobRefSchema } from '@shared/events/blob-ref.ts';
import { imageTypeSchema } from '@shared/models/model-messages.ts';

const lineRangeSchema = z.object({ from: z.number().int().positive(), to: z.number().int().positive() });
export type LineRange = z.infer<typeof lineRangeSchema>;

const documentSchema = z.object({
  /** The original file. */
  blob: blobRefSchema,
  /** Absent in older logs: it is a PDF. */
  kind: z.enum(documentKinds).optional(),
  /** Number of all its pages, sheets or cells. */
  pages: z.number().int().positive(),
  /** Number of pages, from the first on, whose text was kept. A message takes no more. */
  read: z.number().int().nonnegative(),
  /** How many of those pages have no text, such as scanned pages. */
  blank: z.number().int().nonnegative(),
  /** Pages without text, as pictures for a model that sees: the first of them. Absent: none was drawn. */
  scans: z
    .array(
      z.object({
        page: z.number().int().positive(),
        blob: blobRefSchema,
        width: z.number().int().positive(),
        height: z.number().int().positive(),
      }),
    )
    .max(20)
    .optional(),
  /** Set where the last of them has only its beginning here. */
  isCut: z.boolean().optional(),
});
export type DocumentFacts = z.infer<typeof documentSchema>;

const chatSchema = z.object({
  conversations: z.number().int().positive(),
  /** Size of all their text together. A message takes its beginning. */
  bytes: z.number().int().nonnegative(),
});
export type ChatFacts = z.infer<typeof chatSchema>;

const common = {
  /** A name for people and models: a file name, or the text of a mention. */
  name: z.string().min(1).max(500),
  blob: blobRefSchema,
  /** Its path in the workspace, if it comes from there. Fences use it. */
  path: z.string().max(4096).optional(),
  /** A number of that file, which stays when it is renamed. Fences use it, too. */
  fileId: z.string().max(100).optional(),
  /** Set when it came from a tool server, from this address. Its words are untrusted. */
  source: z.object({ server: z.string().max(100), uri: z.string().max(4096) }).optional(),
};

/** Something that the user gave with a message. It is data, kept as a blob; its bytes decide its kind. */
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
    /** Set for the text of a PDF, a Word or Excel file or another document, with its pages. */
    document: documentSchema.optional(),
    /** Set for the text of conversations that a chat app exported, newest first. */
    chat: chatSchema.optional(),
    /** The encoding of the original text, if it was not UTF-8. */
    encoding: z.string().optional(),
  }),
]);
export type Attachment = z.infer<typeof attachmentSchema>;
