import { z } from 'zod';

/** Turns that a check judged; each counts half as much a month later, so neither is a whole number. */
const tallySchema = z.strictObject({
  tries: z.number().nonnegative(),
  solved: z.number().nonnegative(),
  /** Model calls of this kind that were made in those tries; absent in counts from before. */
  calls: z.number().nonnegative().optional(),
  /** When it was counted last, in milliseconds since 1970. */
  at: z.number(),
});
export type Tally = z.infer<typeof tallySchema>;

/** How work went on this machine, by model and by kind of step. */
export const priorsSchema = z.record(z.string(), z.record(z.string(), tallySchema));
export type Priors = z.infer<typeof priorsSchema>;
