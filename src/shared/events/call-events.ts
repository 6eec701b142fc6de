import { z } from 'zod';
import { prefillReportSchema, timingsSchema, engineReportSchema, energySchema, surenessSchema } from './call-report.ts';
import { whereSchema, stageSchema } from '@shared/models/model-info.ts';
import { routeDetailSchema } from '@shared/routing/routing.ts';
import { fenceFindingSchema } from '@shared/safety/fences.ts';
import { blobRefSchema } from './blob-ref.ts';
import { partSchema } from '@shared/models/model-messages.ts';
import { usageSchema, priceSchema } from '@shared/money/token-cost.ts';

/** Why a step's model was called. */
export const purposeSchema = z.enum([
  'act',
  'locate',
  'propose',
  'answer',
  'plan',
  'summarize',
  'choose',
  'title',
  /** Asks another model, from a handoff, what to do next or whether the task is done. */
  'advise',
  'review',
  /** A tool's server asked for this call while it worked on a tool call. */
  'sample',
  // Texts were turned into vectors or scores.
  'embed',
]);

export type Purpose = z.infer<typeof purposeSchema>;

export const stopReasonSchema = z.enum([
  'stop',
  'length',
  /** The model repeated itself and was stopped. */
  'repetition',
  'tool-calls',
  'stop-sequence',
  'cancelled',
  'error',
]);

export type StopReason = z.infer<typeof stopReasonSchema>;

/** A tool call that the length limit cut: the tool, and how much of its input had come. */
const cutCallSchema = z.object({ tool: z.string(), characters: z.number().int().nonnegative() });
export type CutCall = z.infer<typeof cutCallSchema>;

/** A model call: where it runs, what was sent, what came back. */
export const callEvents = {
  'cache-prefilled': prefillReportSchema,
  'route-decided': z.object({
    callId: z.string(),
    chosen: z.object({ model: z.string(), where: whereSchema }),
    runnerUp: z.object({ model: z.string(), where: whereSchema }).nullable(),
    reasonCode: z.string(),
    reason: z.string(),
    /** The facts that the decision was based on. */
    ...routeDetailSchema.partial().shape,
  }),
  /** `manifest` holds what the call carries, or would have carried. */
  'call-fenced': fenceFindingSchema.extend({
    step: z.number().int(),
    purpose: purposeSchema,
    manifest: blobRefSchema.nullable(),
  }),
  'engine-waited': z.object({ callId: z.string(), waitedMs: z.number() }),
  'model-call-started': z.object({
    callId: z.string(),
    step: z.number().int(),
    purpose: purposeSchema,
    stage: stageSchema,
    provider: z.string(),
    model: z.string(),
    /** The exact request, so that a prompt is never guessed again. */
    request: blobRefSchema,
    /** Tokens of the prompt, counted by the model's own tokenizer. Null when only the provider can count them. */
    promptTokens: z.number().int().nullable(),
    /** The bytes of the parts that become prompt, so that later prompts are measured by what this one was billed. */
    promptBytes: z.number().int().optional(),
    /** The tool server that asked for the call. Absent: the agent made the call for its own work. */
    askedBy: z.object({ server: z.string(), toolCallId: z.string() }).optional(),
    /** Attached texts that were cut to their beginning. Absent: none was cut. */
    cut: z
      .array(z.object({ name: z.string(), sha256: z.string(), bytes: z.number().int(), shownBytes: z.number().int() }))
      .optional(),
  }),
  'model-call-ended': z.object({
    callId: z.string(),
    parts: z.array(partSchema),
    stopReason: stopReasonSchema,
    usage: usageSchema,
    /** Prompt tokens that were computed again in this call; null when the provider does not say. */
    evaluatedTokens: z.number().int().nullable(),
    timings: timingsSchema,
    price: priceSchema.nullable(),
    costUsd: z.number().nullable(),
    error: z
      .object({
        code: z.string(),
        message: z.string(),
        retryable: z.boolean(),
        /** How long the service asks to wait before the next try. */
        retryAfterMs: z.number().optional(),
        /** The context size that the service named. Absent: none. */
        contextTokens: z.number().int().positive().optional(),
      })
      .nullable(),
    /** The model that answered, as the service names it. Absent when the service does not say. */
    answeredBy: z.string().optional(),
    /** Absent for models that do not run in the engine of this machine. */
    engine: engineReportSchema.optional(),
    /** Absent when unknown, and for cloud services. */
    energy: energySchema.optional(),
    sureness: surenessSchema.optional(),
    /** Absent: no call was cut, or the log is older. */
    cutCall: cutCallSchema.optional(),
  }),
} as const;
