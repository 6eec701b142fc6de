import { z } from 'zod';

/** What a cap on money is set for; a step is one model call, a task one turn. */
export const capScopeSchema = z.enum(['step', 'task', 'session', 'project', 'day', 'month']);

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
