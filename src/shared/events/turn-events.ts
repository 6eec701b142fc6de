import { z } from 'zod';
import { taskModes } from '@shared/text/task-mode.ts';
import { stageSchema } from '@shared/models/model-info.ts';
import { gateCheckSchema } from './gate-check.ts';

/** Why a turn ended. Every limit has a reason of its own; `sandbox-lost`: it went away and was not back in time. */
export const turnEndReasonSchema = z.enum([
  'done',
  'answered',
  'planned',
  'gave-up',
  'step-limit',
  'time-limit',
  'token-limit',
  'output-limit',
  'repeated-call',
  'alternating-calls',
  'repeated-rejection',
  'criterion-unmet',
  'cap',
  /** What it would have had to send is not to leave this machine. */
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
 * How sure the product is of an accepted change, and why ("weak tests": mutants of the change survive). `reviewed`: a stronger
 * model approves of it. `proposed`: a small model wrote it and no test asks for it, so it is not called done.
 */
export const confidenceSchema = z.enum(['high', 'reviewed', 'weak-tests', 'mechanical', 'proposed', 'unchecked']);

export type Confidence = z.infer<typeof confidenceSchema>;

export const criterionSchema = z.object({ command: z.string(), source: z.enum(['option', 'project']) }).nullable();

/** A turn from its start to its checked end. */
export const turnEvents = {
  'turn-started': z.object({
    messageId: z.string(),
    plan: z.boolean(),
    /** What the message was taken for; `chat`: an answer that needs no look at a project. Absent in logs from before. */
    mode: z.enum(['chat', ...taskModes]).optional(),
    /** The name of the assistant that it was asked of; what it was stands in its `gather_facts`. */
    assistant: z.string().optional(),
    criterion: criterionSchema,
    cascade: z.array(stageSchema),
    limits: z.object({
      maxSteps: z.number().int(),
      maxMinutes: z.number(),
      maxTokens: z.number().int(),
      maxUsd: z.number().nullable(),
    }),
  }),
  /** The success criterion was run: once before the work, and again before the end is believed. */
  'criterion-checked': z.object({
    phase: z.enum(['before', 'after']),
    command: z.string(),
    exitCode: z.number().int().nullable(),
    passed: z.boolean(),
    summary: z.string(),
    /** It failed before the work for something that the task is not about, and fails no more than then. */
    unrelated: z.literal(true).optional(),
  }),
  'gate-checked': gateCheckSchema,
  'stage-chosen': z.object({
    stage: stageSchema,
    recipe: z.string().nullable(),
    reason: z.string(),
    index: z.number().int(),
    /** Why the stage before it gave up; null for the first, and where another model goes on for a gain. */
    cause: z.enum(['no-progress', 'format', 'checks', 'transport', 'window', 'cap', 'fence']).nullable(),
    /** How long its program looks for something that passes, in seconds; absent: all of its time. */
    giveUpSeconds: z.number().optional(),
  }),
  'recipe-progressed': z.object({ recipe: z.string(), phase: z.string(), text: z.string(), data: z.unknown() }),
  'turn-ended': z.object({
    reason: turnEndReasonSchema,
    /** What the agent says at the end: a summary, an answer or a plan; or why it stopped. */
    text: z.string(),
    confidence: confidenceSchema.nullable(),
    /** What is missing (reason `missing`), or the error. */
    failure: z.object({ code: z.string(), message: z.string(), hint: z.string().optional() }).nullable(),
  }),
} as const;
