import { z } from 'zod';

/** One check of a model's claim that the task is done. The success check has an event of its own. */
export const gateCheckSchema = z.object({
  /**
   * `changes`: a program looks at the changes. `lint`: the project's own linter. `review`: a stronger model reads a
   * digest.
   */
  by: z.enum(['changes', 'lint', 'review']),
  /** `redo`: `text` goes back to the worker. `none`: there is no usable verdict, and `text` says why. */
  verdict: z.enum(['pass', 'redo', 'none']),
  text: z.string(),
  /** The problems that were found. `code` is a stable word; see docs/routing-data.md. */
  findings: z.array(z.object({ code: z.string(), path: z.string().nullable(), text: z.string() })),
  /** The call that gave the verdict; null when no model was asked. */
  callId: z.string().nullable(),
});
export type GateCheck = z.infer<typeof gateCheckSchema>;
