import { z } from 'zod';

/** One look at what a model calls done, before it is believed. The success criterion has an event of its own. */
export const gateCheckSchema = z.object({
  /** `changes`: at what was changed, by the program alone. `lint`: the project's own linter. `review`: a stronger model, on a digest. */
  by: z.enum(['changes', 'lint', 'review']),
  /** `redo`: the worker is told `text`. `none`: there was no verdict that can be used, and `text` says why. */
  verdict: z.enum(['pass', 'redo', 'none']),
  text: z.string(),
  /** What was found, by a word that stays the same; see docs/routing-data.md. */
  findings: z.array(z.object({ code: z.string(), path: z.string().nullable(), text: z.string() })),
  /** The call in which the verdict was given; null: no model was asked. */
  callId: z.string().nullable(),
});
export type GateCheck = z.infer<typeof gateCheckSchema>;
