import { z } from 'zod';
import { attachmentSchema } from '@shared/attachments/attachment.ts';
import { blobRefSchema } from './blob-ref.ts';

export const toolStatusSchema = z.enum(['ok', 'error', 'refused', 'timed-out', 'cancelled', 'unknown']);

export type ToolStatus = z.infer<typeof toolStatusSchema>;

/** Who did something to a file: a tool the model called, a recipe's program, an undo or a take by a person. */
export const actorSchema = z.enum(['model', 'recipe', 'undo', 'take']);

export type Actor = z.infer<typeof actorSchema>;

/** One side of a file's change. `null`: the file was not there. `kept: false`: it was there but its bytes were not kept, and why. */
export const fileImageSchema = z.union([
  z.object({ kept: z.literal(true), blob: blobRefSchema, mode: z.number().int() }),
  z.object({ kept: z.literal(false), why: z.enum(['too-large', 'not-a-file', 'no-text-name']) }),
  z.null(),
]);

export type FileImage = z.infer<typeof fileImageSchema>;

/**
 * What a person decided on the hunks of a file, one by one. The hunks are those of the difference between `from` and
 * `to`, as it is shown; a file is `from` with the hunks that are not undone.
 */
export const hunkChoicesSchema = z.object({
  from: fileImageSchema,
  to: fileImageSchema,
  /** `from` with the hunks that were taken. */
  base: fileImageSchema,
  states: z.array(z.enum(['open', 'taken', 'undone'])),
  /** Places (from 0) of the hunks that were decided on last. */
  moved: z.array(z.number().int()),
  /** Lines of the hunks that are not undone. */
  added: z.number().int().nullable(),
  removed: z.number().int().nullable(),
});

export type HunkChoices = z.infer<typeof hunkChoicesSchema>;

export type HunkState = HunkChoices['states'][number];

/** What has to be known of a task of a server to ask for it again. */
export const leftTaskSchema = z.object({
  taskId: z.string(),
  /** Of the server and the tool as they were approved: only the same ones are asked. */
  sha256: z.string(),
});

export type LeftTask = z.infer<typeof leftTaskSchema>;

/** What tools and recipes did, and which files changed. */
export const toolEvents = {
  'tool-call-requested': z.object({
    toolCallId: z.string(),
    callId: z.string(),
    tool: z.string(),
    input: z.unknown(),
    style: z.enum(['native', 'schema', 'text', 'grammar']),
    /** What was repaired in the arguments before they parsed; empty for a strict parse. */
    repairs: z.array(z.string()),
  }),
  /** Written before the side effect. `by` tells a step's tool call from a recipe's action. */
  'tool-started': z.object({
    toolCallId: z.string(),
    tool: z.string(),
    by: z.enum(['model', 'recipe']),
    /** The call whose program made this one; absent: the model or the recipe did. */
    parent: z.string().optional(),
    input: z.unknown(),
    label: z.string(),
    /** Of a tool that Dewpoint does not bring: who answers, whether what it gets may leave, and whether it may read files here. */
    foreign: z
      .object({
        server: z.string(),
        leaves: z.boolean(),
        readsFiles: z.boolean(),
        /** It calls tools itself: what it reads it may pass on before it ends. */
        isProgram: z.literal(true).optional(),
        /** Of a router: how many calls of other tools it carries. */
        carries: z.number().int().optional(),
      })
      .optional(),
  }),
  'tool-ended': z.object({
    toolCallId: z.string(),
    tool: z.string(),
    /** As of its `tool-started`. */
    parent: z.string().optional(),
    status: toolStatusSchema,
    /** What the model sees (capped: head and tail). */
    output: z.string(),
    /** The whole of it, where the capped text is not the whole. */
    full: blobRefSchema.nullable(),
    exitCode: z.number().int().nullable(),
    durationMs: z.number(),
    /** How long a person was waited for in it, or the machine slept; absent: neither. */
    waitedMs: z.number().optional(),
    /** Nothing ran: the result is that of this equal call before it in the turn. Absent: it ran. */
    reusedFrom: z.string().optional(),
    /** The result as data, for a recipe's action: what a replay hands back instead of acting. A blob above 32 KB. */
    data: z.unknown(),
    dataBlob: blobRefSchema.nullable(),
    /** Images that a tool of others gave back; absent: none. */
    pictures: z.array(attachmentSchema).optional(),
  }),
  /**
   * A server works on a call as a task. Written as soon as it said so: after a crash it is asked for the task, and the call
   * is not made again.
   */
  'server-task-began': leftTaskSchema.extend({ toolCallId: z.string() }),
  /** Of a task that a crash had cut off, nothing more is to be learned. */
  'server-task-settled': z.object({ toolCallId: z.string() }),
  'file-changed': z.object({
    path: z.string(),
    before: fileImageSchema,
    after: fileImageSchema,
    by: actorSchema,
    toolCallId: z.string().nullable(),
    added: z.number().int().nullable(),
    removed: z.number().int().nullable(),
    /** For `by: 'undo'`: the `file-changed` events (seq) that this one takes back. */
    undoes: z.array(z.number().int()),
    /** Of an undo or a take of single hunks, and of what follows on the same change. */
    hunks: hunkChoicesSchema.optional(),
  }),
  /** Hunks were taken that are in their place already, so no file changed. */
  'hunks-taken': z.object({ path: z.string(), hunks: hunkChoicesSchema }),
  'changes-taken': z.object({ paths: z.array(z.string()), target: z.string() }),
} as const;
