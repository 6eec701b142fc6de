import { z } from 'zod';
import { blobRefSchema } from '@shared/events/blob-ref.ts';
import { attachmentSchema } from './attachment.ts';
import type { Attachment, LineRange } from './attachment.ts';
import { policySchema } from '@shared/routing/routing.ts';
import type { FenceVerdict } from '@shared/safety/fences.ts';

/** Where a file may lie: in the workspace of a session, or in a project for which there is none yet. */
const placeSchema = z.union([
  z.strictObject({ sessionId: z.string().min(1).max(100) }),
  z.strictObject({ projectPath: z.string().min(1).max(4096) }),
]);
export type FilePlace = z.infer<typeof placeSchema>;

export const keptFileSchema = z.object({
  name: z.string().min(1).max(500),
  /** Base64. */
  data: z.string().max(15 * 1024 * 1024),
  /** Where it lies on the machine of the core, where the host knows that; fences go by it within `place`. */
  path: z.string().min(1).max(4096).optional(),
  place: placeSchema.optional(),
});
export type KeptFile = z.infer<typeof keptFileSchema>;

/** The data export of a chat app: where it lies, as far as the host knows that, else what is in it. */
const exportSchema = keptFileSchema.omit({ data: true }).extend({ data: keptFileSchema.shape.data.optional() });
export type ExportFile = z.infer<typeof exportSchema>;

export const listChatsInput = exportSchema;
export const keepChatsInput = exportSchema.extend({
  ids: z
    .array(z.string().regex(/^[0-9a-f]{24}$/u))
    .min(1)
    .max(100),
});

export const resourcesInput = z.object({
  /** Null: a session without a project. */
  place: placeSchema.nullable(),
  /** As it is typed after the `@`. */
  text: z.string().max(2_000),
  limit: z.number().int().positive().max(100).default(8),
});

export const keepResourceInput = z.object({
  place: placeSchema.nullable(),
  server: z.string().min(1).max(100),
  uri: z.string().min(1).max(4096),
});

/** Null: a session without a project. */
export const promptsInput = z.object({ place: placeSchema.nullable() });

export const takePromptInput = z.object({
  place: placeSchema.nullable(),
  server: z.string().min(1).max(100),
  name: z.string().min(1).max(256),
  values: z.record(z.string().max(256), z.string().max(20_000)),
});

/** What a prompt of a tool server says, to be seen and changed before it is sent, and what comes along with it. */
export interface TakenPrompt {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

export const readInput = z.object({ blob: blobRefSchema });

export const findInput = z.object({
  place: placeSchema,
  text: z.string().max(300),
  limit: z.number().int().positive().max(100).default(12),
});

/** A message that was not sent yet: what is attached to it, what its text mentions, and who is to get it. */
export const previewInput = z.object({
  /** Null: a session without a project, which has no files. */
  place: placeSchema.nullable(),
  text: z.string().max(1_048_576).default(''),
  attachments: z.array(attachmentSchema).max(100),
  policy: policySchema.optional(),
  local: z.string().min(1).max(500).optional(),
  cloud: z.string().min(1).max(500).optional(),
});
export type PreviewedMessage = z.infer<typeof previewInput>;

/** A model by its name, and whether it sees pictures. */
export interface PreviewModel {
  readonly id: string;
  readonly label: string;
  readonly where: 'local' | 'cloud';
  readonly images: boolean;
}

/** Of one attached file, what the model with the least room is shown. Pages and lines only where it has any. */
export interface FilePreview {
  readonly attachment: Attachment;
  /** The text mentions it; nobody attached it by hand. */
  readonly isMentioned: boolean;
  readonly bytes: number;
  readonly shownBytes: number;
  readonly lines: { readonly all: number; readonly shown: number } | null;
  readonly pages: { readonly all: number; readonly shown: number; readonly blank: number } | null;
}

/** What a model would get of a message, found out by what the message is sent by. */
export interface AttachmentPreview {
  /** Who may get it; empty where none of them is there. */
  readonly models: readonly PreviewModel[];
  readonly files: readonly FilePreview[];
  /** What the text mentions and does not come along, a sentence each. */
  readonly notes: readonly string[];
  /** It has a picture, and none of `models` sees it. Null: somebody does, or there is no picture. */
  readonly unseen: { readonly seeing: readonly PreviewModel[] } | null;
}

/** A file or folder (with `/` at its end) of a workspace. `staysHere`: what a fence says of it. */
export interface FoundFile {
  readonly path: string;
  readonly staysHere: FenceVerdict | null;
  /** Where a definition in it was found, not the file as a whole. */
  readonly symbol?: { readonly name: string; readonly lines: LineRange };
}
