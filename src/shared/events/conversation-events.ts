import { z } from 'zod';
import { attachmentSchema } from '@shared/attachments/attachment.ts';

/** What a text of the app is for, which a person agreed to with a button. */
export const messageOriginSchema = z.enum(['resume', 'cloud-review']);

/** What the user says. */
export const conversationEvents = {
  /** `queued`: the text came while a turn ran, and waits; `message-delivered` says when the model saw it. */
  'user-message-added': z.object({
    messageId: z.string(),
    text: z.string(),
    queued: z.boolean(),
    attachments: z.array(attachmentSchema).optional(),
    /** The person did not write it. */
    origin: messageOriginSchema.optional(),
  }),
  'message-delivered': z.object({ messageId: z.string() }),
  /** No turn took it and none will: the process or a stop ended it first. It can be sent again. */
  'message-dropped': z.object({
    messageId: z.string(),
    /** The person took it back before a model saw it: it is as if it had not been said. */
    withdrawn: z.literal(true).optional(),
  }),
  /** A person changed the plan that a turn ended with: from now on these are its steps. */
  'plan-edited': z.object({ planTurnId: z.string(), steps: z.array(z.string()) }),
} as const;

export const planItemStateSchema = z.enum(['open', 'working', 'done', 'dropped']);
const planItemSchema = z.object({ text: z.string(), state: planItemStateSchema });
export type PlanItem = Readonly<z.infer<typeof planItemSchema>>;

/** What became of what a model is shown, and what it says of its plan; part of the events (`events.ts`). */
export const contextEvents = {
  /** How far a plan that is carried out is, as the model says: all of its items. The last one of a turn holds. */
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
  }),
} as const;
