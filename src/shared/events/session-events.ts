import { z } from 'zod';
import { falseAnswerSchema } from '@shared/sandbox/false-answer.ts';
import { historyCopiedSchema } from '@shared/safety/approval-grants.ts';
import { usageSchema } from '@shared/money/token-cost.ts';
import { fenceHitSchema } from '@shared/safety/fences.ts';
import { chosenOptionsSchema } from '@shared/session/chosen-options.ts';
import { childAccessSchema, treePlaceSchema } from '@shared/session/agent-tree.ts';
import { turnEndReasonSchema } from './turn-events.ts';

export const workspaceModeSchema = z.enum(['in-place', 'copy', 'scratch']);

export type WorkspaceMode = z.infer<typeof workspaceModeSchema>;

/** Events about a session as a whole. */
export const sessionEvents = {
  'session-created': z.object({
    logVersion: z.number().int(),
    sessionId: z.string(),
    appVersion: z.string(),
    title: z.string(),
    projectPath: z.string().nullable(),
    /** `falseAnswer`: the copy is for an experiment. */
    workspace: z.object({
      mode: workspaceModeSchema,
      path: z.string(),
      falseAnswer: falseAnswerSchema.optional(),
    }),
    parentId: z.string().nullable(),
    groupId: z.string().nullable(),
    /** The id of the project that it begins in, if that is not the one of its folder. */
    project: z.string().optional(),
    /** Absent when the session is the root of its own tree. */
    tree: treePlaceSchema.optional(),
    /** Restricted content that its task was built from. */
    fenced: z.array(fenceHitSchema).optional(),
    /** The first session of the talk that this one is another branch of. Absent: it is no branch. */
    branchOf: z.string().optional(),
  }),
  /** `callId` is the model call that wrote the title. Absent: the user wrote it. */
  'session-renamed': z.object({ title: z.string(), callId: z.string().optional() }),
  /** How you organize the session. An absent field stays as it was. `tags` replaces all tags. */
  'session-organized': z.object({
    isPinned: z.boolean().optional(),
    isArchived: z.boolean().optional(),
    savesCalls: z.boolean().optional(),
    tags: z.array(z.string()).optional(),
    /** The turn whose end you looked at. */
    seen: z.string().optional(),
  }),
  /**
   * From now on it belongs to this project, by its id; null: to none. What it said stays. The next message uses what is
   * set for the project, so what was chosen before for models and the assistant no longer counts.
   */
  'session-moved': z.object({
    project: z.string().nullable(),
    /** Of the project, as it was then. */
    name: z.string(),
    /** What the project chooses for its talks. */
    chosen: chosenOptionsSchema.optional(),
  }),
  /** The folder of its project was renamed or moved: it lies there now. What the session did in it stays. */
  'folder-moved': z.object({ from: z.string(), to: z.string() }),
  /**
   * All events before this one were copied unchanged from another log. Their costs were paid there, and their sandbox
   * is not this session's.
   */
  'history-copied': historyCopiedSchema,
  /** The log was damaged when it was opened. The damaged bytes were moved to `movedTo`; nothing was deleted. */
  'session-repaired': z.object({ reason: z.string(), movedBytes: z.number().int(), movedTo: z.string().nullable() }),
  /**
   * Something that the user should know but that is no failure of the turn, such as a sandbox limit that is not
   * enforced.
   */
  'notice-added': z.object({ level: z.enum(['info', 'warning']), code: z.string(), text: z.string() }),
  /** A child agent began its task in a session of its own, or goes on in it. */
  'child-session-started': z.object({
    sessionId: z.string(),
    toolCallId: z.string(),
    name: z.string(),
    task: z.string(),
    access: childAccessSchema,
    /** The agent definition that it follows; null when none. */
    kind: z.string().nullable(),
    /** What the parent asked for. The child keeps these when it goes on. */
    model: z.string().nullable(),
    tools: z.array(z.string()).nullable(),
    /** The most that it may spend, in US dollars; null: as much as its parent may. */
    maxUsd: z.number().nullable(),
    /** The most steps for each of its runs, if the parent set one. */
    maxSteps: z.number().int().optional(),
  }),
  /** The result of a child's run. Cost and usage cover this run alone. Optional fields are absent in older logs. */
  'child-session-ended': z.object({
    sessionId: z.string(),
    name: z.string().optional(),
    costUsd: z.number().nullable(),
    usage: usageSchema,
    toolCallId: z.string().optional(),
    reason: turnEndReasonSchema.optional(),
    text: z.string().optional(),
    changedFiles: z.number().int().nonnegative().optional(),
    /** Restricted content that its result was built from. */
    fenced: z.array(fenceHitSchema).optional(),
  }),
} as const;
