import { capsLeftSchema } from '@shared/events/approval-events.ts';
import { z } from 'zod';
import { taskModes } from '@shared/text/task-mode.ts';
import { stageSchema } from '@shared/models/model-info.ts';
import { turnPolicySchema } from '@shared/routing/routing.ts';
import { runLimitsSchema } from '@shared/session/run-limits.ts';
import { gateCheckSchema } from './gate-check.ts';

/**
 * Why a turn ended. Each limit has its own reason. `sandbox-lost`: the sandbox went away and did not come back in time.
 */
export const turnEndReasonSchema = z.enum([
  'done',
  'answered',
  'planned',
  /** The agent asked the person something, or cannot go on without them; `text` is its question. */
  'waiting',
  /** A part of an answer in words came, and `failure` says why the rest is missing. */
  'incomplete',
  'gave-up',
  'step-limit',
  'time-limit',
  'token-limit',
  'output-limit',
  'repeated-call',
  'alternating-calls',
  'repeated-rejection',
  'check-failed',
  'cap',
  /** The turn would have had to send restricted content. */
  'fenced',
  'needs-approval',
  'missing',
  'sandbox-lost',
  'cancelled',
  'crashed',
  'error',
]);

export type TurnEndReason = z.infer<typeof turnEndReasonSchema>;

/**
 * How sure Dewpoint is of an accepted change. `weak-tests`: mutants of the change survive. `reviewed`: a stronger model
 * approves of it. `proposed`: a small model wrote it and no test asks for it, so it does not count as done.
 */
export const confidenceSchema = z.enum([
  'high',
  'reviewed',
  'tests-pass',
  'weak-tests',
  'mechanical',
  'proposed',
  'unchecked',
]);

export type Confidence = z.infer<typeof confidenceSchema>;

/** Where a turn could work when it ended. `hasCloud`: a cloud model is set up, whether the policy allows it or not. */
const turnRoutingSchema = z.object({ policy: turnPolicySchema, hasCloud: z.boolean() });
export type TurnRouting = Readonly<z.infer<typeof turnRoutingSchema>>;

export const successCheckSchema = z.object({ command: z.string(), source: z.enum(['option', 'project']) }).nullable();

/** A turn from its start to its checked end. */
export const turnEvents = {
  'turn-started': z.object({
    messageId: z.string(),
    /** How the message was read. `chat`: it can be answered without a look at the project. Absent in older logs. */
    mode: z.enum(['chat', ...taskModes]).optional(),
    /** The turn whose question the message answers. This turn goes on with that one's task. */
    answers: z.string().optional(),
    /** The assistant's name. Its content at that time is in the turn's `gather_facts` action. */
    assistant: z.string().optional(),
    /** The success check. */
    check: successCheckSchema,
    cascade: z.array(stageSchema),
    limits: z.object({
      ...runLimitsSchema.shape,
      maxUsd: z.number().nullable(),
      /** All spending limits when the turn began, and what they left. Absent: nothing can cost money. */
      caps: capsLeftSchema.optional(),
    }),
  }),
  /** The success check ran: once before the work, and again before a claim of success is accepted. */
  'check-ended': z.object({
    phase: z.enum(['before', 'after']),
    command: z.string(),
    exitCode: z.number().int().nullable(),
    passed: z.boolean(),
    summary: z.string(),
    /** It already failed before the work for a reason outside the task, and fails no more than before. */
    unrelated: z.literal(true).optional(),
  }),
  'gate-checked': gateCheckSchema,
  'stage-chosen': z.object({
    stage: stageSchema,
    recipe: z.string().nullable(),
    reason: z.string(),
    index: z.number().int(),
    /** Why the stage before it gave up. Null for the first stage, and when another model takes over for a benefit. */
    cause: z.enum(['no-progress', 'format', 'checks', 'transport', 'window', 'cap', 'fence']).nullable(),
    /** How long its program searches for a passing change, in seconds. Absent: all of its time. */
    giveUpSeconds: z.number().optional(),
  }),
  'recipe-progressed': z.object({ recipe: z.string(), phase: z.string(), text: z.string(), data: z.unknown() }),
  'turn-ended': z.object({
    reason: turnEndReasonSchema,
    /** The agent's last words: a summary, an answer or a plan, or why it stopped. */
    text: z.string(),
    confidence: confidenceSchema.nullable(),
    /** What is missing (reason `missing`), or the error. */
    failure: z.object({ code: z.string(), message: z.string(), hint: z.string().optional() }).nullable(),
    /** Absent if the turn was cancelled or the app went away during it, and in older logs. */
    routing: turnRoutingSchema.optional(),
    /** The lines of the memory that were of use in it, as they were told. Absent: none was, and in older logs. */
    memory: z.array(z.string()).optional(),
  }),
} as const;
