import { z } from 'zod';
import { attachmentSchema } from '@shared/attachments/attachment.ts';
import { approvalScopeSchema, networkUseSchema } from '@shared/safety/network-access.ts';
import { formValuesSchema, serverFormSchema } from '@shared/tools/server-form.ts';

/** What a cap on money is set for; a step is one model call, a task one turn. */
export const capScopeSchema = z.enum(['step', 'task', 'session', 'project', 'day', 'month']);
export type CapScope = z.infer<typeof capScopeSchema>;

/** A spending limit that was reached, and what the user decided. */
export const capEvents = {
  /** The worst case of a call would pass a cap: the call was not made. US dollars. */
  'cap-reached': z.object({
    capId: z.string(),
    model: z.string(),
    scope: capScopeSchema,
    limitUsd: z.number(),
    spentUsd: z.number(),
    /** Put aside for other calls that had not ended. */
    heldUsd: z.number(),
    /** Null: the price is not known, so that nobody could say whether the cap holds. */
    worstUsd: z.number().nullable(),
    /** The model that could go on here; null: there is none. */
    here: z.string().nullable(),
  }),
  'cap-answered': z.object({
    capId: z.string(),
    answer: z.enum(['stop', 'local', 'raise']),
    /** By how much the cap was raised; null where it was not. */
    raisedUsd: z.number().nullable(),
    by: z.enum(['person', 'policy', 'nobody']),
  }),
} as const;

/** What was found out about a program before a person was asked about it. It approves nothing. */
export const programReviewSchema = z.object({
  /** By rules, in Dewpoint's words. */
  findings: z.array(z.string()),
  /** By a model, where one is chosen for it; `text`: its own words, null where it said none, and `why`. */
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
    /** Of exactly what would be done; looked at again when it is done. */
    sha256: z.string(),
    /** Of a command that asks for a network: the hosts, if a yes is for once alone, and why it is asked, in Dewpoint's words and in the model's. */
    hosts: z.array(z.string()).optional(),
    isOnce: z.boolean().optional(),
    reason: z.string().optional(),
    why: z.string().optional(),
    /** The whole of what a yes would be said to, where `subject` only names it; and how it differs from what had one. */
    text: z.string().optional(),
    diff: z.string().optional(),
    /** Of a tool server that asks something itself: its form, or the address that it wants opened. */
    form: serverFormSchema.optional(),
    url: z.string().optional(),
    review: programReviewSchema.optional(),
    /** Images of what is asked about. */
    pictures: z.array(attachmentSchema).readonly().optional(),
    /** The child session whose question it is; it is in its own log, too. */
    child: z.string().optional(),
  }),
  'approval-answered': z.object({
    approvalId: z.string(),
    answer: z.enum(['allow', 'deny']),
    by: z.enum(['person', 'policy', 'nobody']),
    /** For how long a yes to hosts holds; absent: for this once. */
    scope: approvalScopeSchema.optional(),
    /** Of a form: exactly what its server got. */
    values: formValuesSchema.optional(),
    /** Why the policy said so. */
    reason: z.string().optional(),
    child: z.string().optional(),
  }),
  /** Written when the command has ended, once for each host, port and outcome. */
  'network-used': networkUseSchema,
} as const;
