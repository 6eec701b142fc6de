import { z } from 'zod';
import { blobRefSchema } from '@shared/events/blob-ref.ts';
import { attachmentSchema } from './attachment.ts';
import type { Attachment, LineRange } from './attachment.ts';
import { policySchema } from '@shared/routing/routing.ts';
import type { FenceVerdict } from '@shared/safety/fences.ts';

/** Where a file may be: in a session's workspace, or in a project that has no session yet. */
const placeSchema = z.union([
  z.strictObject({ sessionId: z.string().min(1).max(100) }),
  z.strictObject({ projectPath: z.string().min(1).max(4096) }),
]);
export type FilePlace = z.infer<typeof placeSchema>;

export const keptFileSchema = z.object({
  name: z.string().min(1).max(500),
  /** Base64. */
  data: z.string().max(15 * 1024 * 1024),
  /** Its path on the core's machine, if the host knows it. Fences use it if it is within `place`. */
  path: z.string().min(1).max(4096).optional(),
  place: placeSchema.optional(),
});
export type KeptFile = z.infer<typeof keptFileSchema>;

/** The data export of a chat app: its path if the host knows it, otherwise its content. */
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
  /** The text after the `@`. */
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

/** The text of a tool server's prompt, to be read and changed before it is sent, and its attachments. */
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

/** A message that is not sent yet: its attachments, its text with mentions, and who is to get it. */
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

/** A model's name, and whether it sees images. */
export interface PreviewModel {
  readonly id: string;
  readonly label: string;
  readonly where: 'local' | 'cloud';
  readonly images: boolean;
}

/** What the model with the least room sees of one attached file. Pages and lines only if the file has any. */
export interface FilePreview {
  readonly attachment: Attachment;
  /** The text mentions the file; nobody attached it by hand. */
  readonly isMentioned: boolean;
  readonly bytes: number;
  readonly shownBytes: number;
  readonly lines: { readonly all: number; readonly shown: number } | null;
  readonly pages: { readonly all: number; readonly shown: number; readonly blank: number } | null;
}

/** What a model would get of a message. Computed by the code that sends messages. */
export interface AttachmentPreview {
  /** The models that may get it; empty when none is available. */
  readonly models: readonly PreviewModel[];
  readonly files: readonly FilePreview[];
  /** Things that the text mentions but that are not attached, one sentence each. */
  readonly notes: readonly string[];
  /** Set when the message has an image that none of `models` sees. Null: one of them does, or there is no image. */
  readonly unseen: { readonly seeing: readonly PreviewModel[] } | null;
  /** The models that would see the images with a llama-server, which is not set up. Absent: there are none. */
  readonly couldSee?: readonly PreviewModel[];
  /** Pages without text among the files. Absent: there are none, or `unseen` speaks of them. */
  readonly scans?: ScanPreview;
}

export interface ScanPreview {
  /** How many there are, and how many of them a model gets as pictures. */
  readonly pages: number;
  readonly drawn: number;
  /** What these pictures cost, estimated. */
  readonly tokens: number;
  /** Null: a model of the message sees them. Otherwise the models that would. */
  readonly seeing: readonly PreviewModel[] | null;
}

/** A file or folder (with `/` at its end) of a workspace. `staysHere`: a fence keeps it on this machine. */
export interface FoundFile {
  readonly path: string;
  readonly staysHere: FenceVerdict | null;
  /** The definition that was found in it, if the match is not the file as a whole. */
  readonly symbol?: { readonly name: string; readonly lines: LineRange };
}
