import { z } from 'zod';
import { historyCopiedSchema } from '@shared/safety/approval-grants.ts';
import { usageSchema } from '@shared/money/token-cost.ts';
import { fenceHitSchema } from '@shared/safety/fences.ts';
import { childAccessSchema, treePlaceSchema } from '@shared/session/agent-tree.ts';
import { turnEndReasonSchema } from './turn-events.ts';

export const workspaceModeSchema = z.enum(['in-place', 'copy', 'scratch']);

export type WorkspaceMode = z.infer<typeof workspaceModeSchema>;

/** A session from its start to what it is told of itself. */
export const sessionEvents = {
  'session-created': z.object({
    logVersion: z.number().int(),
    sessionId: z.string(),
    appVersion: z.string(),
    title: z.string(),
    projectPath: z.string().nullable(),
    workspace: z.object({ mode: workspaceModeSchema, path: z.string() }),
    parentId: z.string().nullable(),
    groupId: z.string().nullable(),
    /** Absent: it is the root of its own tree. */
    tree: treePlaceSchema.optional(),
    /** What its task was built from, and is not to leave. */
    fenced: z.array(fenceHitSchema).optional(),
  }),
  /** `callId`: the model call whose answer the title is; absent: the user wrote it. */
  'session-renamed': z.object({ title: z.string(), callId: z.string().optional() }),
  /** How you keep it in order. What is absent stays as it was; `tags`: all that it has from here on. */
  'session-organized': z.object({
    isPinned: z.boolean().optional(),
    isArchived: z.boolean().optional(),
    tags: z.array(z.string()).optional(),
  }),
  /**
   * Everything before it was copied from another log, as it was there: what it cost was paid there, and its sandbox is
   * not this session's.
   */
  'history-copied': historyCopiedSchema,
  /** Something was wrong with the log when it was opened; the damaged bytes lie in `movedTo`, nothing was deleted. */
  'session-repaired': z.object({ reason: z.string(), movedBytes: z.number().int(), movedTo: z.string().nullable() }),
  /** Something a person should know that is no failure of the turn (a sandbox limit not enforced, a retried call). */
  'notice-added': z.object({ level: z.enum(['info', 'warning']), code: z.string(), text: z.string() }),
  /** An agent began with a task in a session of its own, or goes on in it. */
  'child-session-started': z.object({
    sessionId: z.string(),
    toolCallId: z.string(),
    name: z.string(),
    task: z.string(),
    access: childAccessSchema,
    /** The definition that it goes by; null: none. */
    kind: z.string().nullable(),
    /** As it was asked for: goes on with the same. */
    model: z.string().nullable(),
    tools: z.array(z.string()).nullable(),
    /** The most that it may spend, in US dollars; null: what its parent may. */
    maxUsd: z.number().nullable(),
    /** The most steps of each of its runs, where it was asked for. */
    maxSteps: z.number().int().optional(),
  }),
  /** What came of it; cost and usage are of this run alone. What is optional is absent in logs from before. */
  'child-session-ended': z.object({
    sessionId: z.string(),
    costUsd: z.number().nullable(),
    usage: usageSchema,
    toolCallId: z.string().optional(),
    reason: turnEndReasonSchema.optional(),
    text: z.string().optional(),
    changedFiles: z.number().int().nonnegative().optional(),
    /** What its result was built from, and is not to leave. */
    fenced: z.array(fenceHitSchema).optional(),
  }),
} as const;
