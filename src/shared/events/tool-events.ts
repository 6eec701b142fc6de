import { z } from 'zod';
import { attachmentSchema } from '@shared/attachments/attachment.ts';
import { blobRefSchema } from './blob-ref.ts';

export const toolStatusSchema = z.enum(['ok', 'error', 'refused', 'timed-out', 'cancelled', 'unknown']);

export type ToolStatus = z.infer<typeof toolStatusSchema>;

/** Who changed a file: a tool that the model called, a recipe, or an undo or take by the user. */
export const actorSchema = z.enum(['model', 'recipe', 'undo', 'take']);

export type Actor = z.infer<typeof actorSchema>;

/**
 * One side of a file's change. `null`: there was no file. `kept: false`: its bytes were not kept, and why. Its size and
 * the time when it was seen like that (milliseconds since 1970) tell whether someone touched it since.
 */
export const fileImageSchema = z.union([
  z.object({ kept: z.literal(true), blob: blobRefSchema, mode: z.number().int() }),
  z.object({
    kept: z.literal(false),
    why: z.enum(['too-large', 'not-a-file', 'no-text-name']),
    seen: z.object({ sizeBytes: z.number().int(), at: z.number() }).optional(),
  }),
  z.null(),
]);

export type FileImage = z.infer<typeof fileImageSchema>;

/**
 * What the user decided about each hunk of a file. The hunks are those of the shown difference between `from` and `to`.
 * The file itself is `from` with all hunks that are not undone.
 */
export const hunkChoicesSchema = z.object({
  from: fileImageSchema,
  to: fileImageSchema,
  /** `from` with the hunks that were taken. */
  base: fileImageSchema,
  states: z.array(z.enum(['open', 'taken', 'undone'])),
  /** Indexes (from 0) of the hunks that the last decision was about. */
  moved: z.array(z.number().int()),
  /** Lines of the hunks that are not undone. */
  added: z.number().int().nullable(),
  removed: z.number().int().nullable(),
});

export type HunkChoices = z.infer<typeof hunkChoicesSchema>;

export type HunkState = HunkChoices['states'][number];

/** What is needed to ask a server about a task again after a crash. */
export const leftTaskSchema = z.object({
  taskId: z.string(),
  /** Hash of the server and the tool as they were approved. Only exactly these are asked again. */
  sha256: z.string(),
});

export type LeftTask = z.infer<typeof leftTaskSchema>;

/** What tools and recipes did, and which files changed. */
/** A path of a call, what it led to with its links followed, and a number of that file, which stays when it is renamed. */
export const fileLookSchema = z.object({ path: z.string(), real: z.string(), id: z.string().optional() });
export type FileLook = z.infer<typeof fileLookSchema>;

export const toolEvents = {
  'tool-call-requested': z.object({
    toolCallId: z.string(),
    callId: z.string(),
    /** The id that the model's service gave the call. Absent: the call was written as text. */
    partId: z.string().optional(),
    tool: z.string(),
    input: z.unknown(),
    style: z.enum(['native', 'schema', 'text', 'grammar']),
    /** Repairs that the arguments needed before they parsed; empty when they parsed as they were. */
    repairs: z.array(z.string()),
  }),
  /** Written before the side effect. `by` tells a step's tool call from a recipe's action. */
  'tool-started': z.object({
    toolCallId: z.string(),
    tool: z.string(),
    by: z.enum(['model', 'recipe']),
    /** The tool call whose program made this call. Absent: the model or the recipe made it. */
    parent: z.string().optional(),
    input: z.unknown(),
    label: z.string(),
    /** A command is stopped after this time. Absent: it has no limit of its own. */
    limitMs: z.number().optional(),
    /** What the paths of the input led to when the call began. Absent: nobody looked. */
    files: z.array(fileLookSchema).optional(),
    /**
     * For a connected tool: its server, whether its input may leave this machine, and whether it may read files here.
     */
    connected: z
      .object({
        server: z.string(),
        leaves: z.boolean(),
        readsFiles: z.boolean(),
        /** The tool is a program that calls tools itself. It may pass on what it reads before it ends. */
        isProgram: z.literal(true).optional(),
        /** For a router of tools: how many calls of other tools it carries. */
        carries: z.number().int().optional(),
      })
      .optional(),
  }),
  'tool-ended': z.object({
    toolCallId: z.string(),
    tool: z.string(),
    /** The same as in `tool-started`. */
    parent: z.string().optional(),
    status: toolStatusSchema,
    /** What the model sees: the beginning and end, capped. */
    output: z.string(),
    /** The full output, if `output` was cut. */
    full: blobRefSchema.nullable(),
    exitCode: z.number().int().nullable(),
    durationMs: z.number(),
    /** How long the call waited for a person, or the machine slept. Absent: neither. */
    waitedMs: z.number().optional(),
    /** Nothing ran: the result was taken from this equal, earlier call of the turn. Absent: it ran. */
    reusedFrom: z.string().optional(),
    /**
     * The earlier call whose result says the same and was still in the conversation. A model reads one line in place of
     * `output` while that is so. Absent: none.
     */
    sameAs: z.string().optional(),
    /**
     * The result of a recipe's action as data. A replay returns it instead of acting. Above 32 KB it is in `dataBlob`.
     */
    data: z.unknown(),
    dataBlob: blobRefSchema.nullable(),
    /** What the paths led to in which something was found. Absent: nobody looked, or there are none. */
    files: z.array(fileLookSchema).optional(),
    /** Images that a connected tool returned. Absent: none. */
    pictures: z.array(attachmentSchema).optional(),
  }),
  /**
   * A server works on a call as a task. Written as soon as the server says so. After a crash, Dewpoint asks for this
   * task and does not make the call again.
   */
  'server-task-began': leftTaskSchema.extend({ toolCallId: z.string() }),
  /** A crash had cut off this task, and nothing more can be learned about it. */
  'server-task-settled': z.object({ toolCallId: z.string() }),
  'file-changed': z.object({
    path: z.string(),
    before: fileImageSchema,
    after: fileImageSchema,
    by: actorSchema,
    toolCallId: z.string().nullable(),
    added: z.number().int().nullable(),
    removed: z.number().int().nullable(),
    /** Lines between the file before the session changed it and now. Absent: this is the first change, or not known. */
    net: z.object({ added: z.number().int(), removed: z.number().int() }).optional(),
    /** For `by: 'undo'`: the `file-changed` events (seq) that this one reverts. */
    undoes: z.array(z.number().int()),
    /** Present when single hunks were undone or taken, and on later decisions about the same change. */
    hunks: hunkChoicesSchema.optional(),
  }),
  /** Hunks were taken that are already in place, so no file changed. */
  'hunks-taken': z.object({ path: z.string(), hunks: hunkChoicesSchema }),
  'changes-taken': z.object({ paths: z.array(z.string()), target: z.string() }),
  /**
   * A session is set back to a checkpoint, an earlier point of its log. Written before the first file changes. Each file
   * that changes then has its own `file-changed`.
   */
  'restore-began': z.object({
    /** A message, a step, or the restore that this one undoes, by id. The state is the one before it. */
    checkpoint: z.string(),
    /** The last event before the checkpoint. */
    upToSeq: z.number().int().nonnegative(),
    files: z.boolean(),
    conversation: z.boolean(),
    /** The turn that the checkpoint cuts in two. Null: it is between turns. */
    cutTurnId: z.string().nullable(),
  }),
  /** With `conversation`, later model calls see what was said up to the checkpoint, and from here on. */
  'restore-ended': z.object({
    beganSeq: z.number().int().positive(),
    outcome: z.enum(['done', 'interrupted']),
    restored: z.array(z.string()),
    /** Those of `restored` that keep what somebody else changed in them since. */
    merged: z.array(z.string()),
    /** Files that stay as they are. */
    kept: z.array(z.object({ path: z.string(), why: z.string() })),
  }),
} as const;
