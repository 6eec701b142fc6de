import { z } from 'zod';
import { attachmentSchema } from '@shared/attachments/attachment.ts';
import { approvalScopeSchema, networkUseSchema } from '@shared/safety/network-access.ts';
import { formValuesSchema, serverFormSchema } from '@shared/tools/server-form.ts';

/** What a spending limit covers. A step is one model call, a task one turn. */
export const capScopeSchema = z.enum(['step', 'task', 'session', 'project', 'day', 'month']);
export type CapScope = z.infer<typeof capScopeSchema>;

/** What spending limits leave. For a step: the most that one call may cost. */
export const capsLeftSchema = z.array(z.object({ scope: capScopeSchema, limitUsd: z.number(), leftUsd: z.number() }));

/** A spending limit that was reached, and what the user decided. */
export const capEvents = {
  /** A call was not made because its worst case would exceed a spending limit. Amounts are in US dollars. */
  'cap-reached': z.object({
    capId: z.string(),
    model: z.string(),
    scope: capScopeSchema,
    limitUsd: z.number(),
    spentUsd: z.number(),
    /** Reserved for other calls that have not ended. */
    heldUsd: z.number(),
    /** Null when the price is unknown, so that nobody can say whether the limit holds. */
    worstUsd: z.number().nullable(),
    /** A model that can go on without cost; null when there is none. */
    here: z.string().nullable(),
    /** What a step of this model usually costs. Absent: unknown. */
    stepUsd: z.number().optional(),
  }),
  /** A spending limit left too little for the whole answer, so the answer of the next call may only be shorter. */
  'output-limited': z.object({
    model: z.string(),
    scope: capScopeSchema,
    limitUsd: z.number(),
    spentUsd: z.number(),
    heldUsd: z.number(),
    /** The most that the call may cost now. */
    worstUsd: z.number(),
    /** The longest answer before and now, in tokens. */
    wantedTokens: z.number().int(),
    maxOutputTokens: z.number().int(),
  }),
  'cap-answered': z.object({
    capId: z.string(),
    answer: z.enum(['stop', 'local', 'raise']),
    /** How much was added to the limit; null when nothing was. */
    raisedUsd: z.number().nullable(),
    by: z.enum(['person', 'policy', 'nobody']),
  }),
} as const;

/** What a review of a program found before the user was asked about it. A review approves nothing. */
export const programReviewSchema = z.object({
  /** Found by rules, in Dewpoint's words. */
  findings: z.array(z.string()),
  /** Found by a model, if one is set for this. `text` is its own words; null when it gave none, and `why` says why. */
  model: z
    .object({
      label: z.string(),
      text: z.string().nullable(),
      why: z.string().optional(),
      costUsd: z.number().nullable(),
    })
    .optional(),
});

export type ProgramReview = z.infer<typeof programReviewSchema>;
export type ModelReview = NonNullable<ProgramReview['model']>;

/** Questions to the user, and their answers. */
export const approvalEvents = {
  'approval-requested': z.object({
    approvalId: z.string(),
    toolCallId: z.string(),
    kind: z.string(),
    subject: z.string(),
    /** Hash of exactly what would be done. It is checked again when the action is carried out. */
    sha256: z.string(),
    /**
     * For a command that asks for a network: its hosts, whether a yes can hold only once, and the reason in Dewpoint's
     * words (`reason`) and in the model's (`why`).
     */
    hosts: z.array(z.string()).optional(),
    isOnce: z.boolean().optional(),
    /** What a lasting yes to a tool of a server covers: a hash of the server and of the tool's definition. */
    grant: z.string().optional(),
    reason: z.string().optional(),
    why: z.string().optional(),
    /**
     * The full text that a yes approves, when `subject` only names it, and its difference from what was approved
     * before. For a guarded file, the text is the change.
     */
    text: z.string().optional(),
    diff: z.string().optional(),
    /** For a question from a tool server: its form, or the address that it wants opened. */
    form: serverFormSchema.optional(),
    url: z.string().optional(),
    review: programReviewSchema.optional(),
    /** Images that belong to the question. */
    pictures: z.array(attachmentSchema).readonly().optional(),
    /** The child session that asked. The question is in that session's log, too. */
    child: z.string().optional(),
  }),
  'approval-answered': z.object({
    approvalId: z.string(),
    answer: z.enum(['allow', 'deny']),
    by: z.enum(['person', 'policy', 'nobody']),
    /** How long a yes to hosts, or to a tool of a server, holds. Absent: only this once. */
    scope: approvalScopeSchema.optional(),
    /** For a form: exactly the values that its server got. */
    values: formValuesSchema.optional(),
    /** Why the policy answered this way. */
    reason: z.string().optional(),
    child: z.string().optional(),
  }),
  /** Written when the command has ended, once for each host, port and outcome. */
  'network-used': networkUseSchema,
} as const;
