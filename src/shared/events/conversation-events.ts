import { z } from 'zod';
import { attachmentSchema } from '@shared/attachments/attachment.ts';
import { chosenOptionsSchema } from '@shared/session/chosen-options.ts';

/** The purpose of a text that the app wrote and the user agreed to with a button. */
export const messageOriginSchema = z.enum(['resume', 'cloud-review']);

/** What the user says. */
export const conversationEvents = {
  /** `queued`: the text arrived while a turn ran, and waits. `message-delivered` says when the model saw it. */
  'user-message-added': z.object({
    messageId: z.string(),
    text: z.string(),
    queued: z.boolean(),
    attachments: z.array(attachmentSchema).optional(),
    /** Present when the app wrote the text, not the user. */
    origin: messageOriginSchema.optional(),
    /** What the person chose for it. The next message of the session keeps that. */
    chosen: chosenOptionsSchema.optional(),
  }),
  /** What the person chose while a task ran. It counts from the task's next step on, and the next message keeps it. */
  'options-chosen': z.object({ chosen: chosenOptionsSchema }),
  'message-delivered': z.object({ messageId: z.string() }),
  /** No turn took the message and none will, because the process or a stop ended it first. It can be sent again. */
  'message-dropped': z.object({
    messageId: z.string(),
    /** The user took it back before a model saw it. It counts as never sent. */
    withdrawn: z.literal(true).optional(),
  }),
  /** The user changed the plan that a turn ended with. From now on, these are its steps. */
  'plan-edited': z.object({ planTurnId: z.string(), steps: z.array(z.string()) }),
} as const;

export const planItemStateSchema = z.enum(['open', 'working', 'done', 'dropped']);
const planItemSchema = z.object({ text: z.string(), state: planItemStateSchema });
export type PlanItem = Readonly<z.infer<typeof planItemSchema>>;

/**
 * What happened to the content that a model is shown, and the model's reports on its plan. Part of the events
 * (`events.ts`).
 */
export const contextEvents = {
  /** The model's report on how far it is with a plan. It lists all items; the last report of a turn counts. */
  'plan-progressed': z.object({ items: z.array(planItemSchema) }),
  'context-compacted': z.object({
    summary: z.string(),
    replacesUpToSeq: z.number().int(),
    beforeTokens: z.number().int(),
    afterTokens: z.number().int(),
  }),
  'observation-trimmed': z.object({
    toolCallId: z.string(),
    beforeTokens: z.number().int(),
    afterTokens: z.number().int(),
    /** How the model reads what is left out. */
    rest: z.string().optional(),
  }),
  /** Long arguments and texts of an answer of the model became notes. */
  'answer-trimmed': z.object({
    callId: z.string(),
    beforeTokens: z.number().int(),
    afterTokens: z.number().int(),
  }),
} as const;
