import { z } from 'zod';

/** Turns that a check judged. A count halves every month, so it is not a whole number. */
const tallySchema = z.strictObject({
  tries: z.number().nonnegative(),
  solved: z.number().nonnegative(),
  /** Model calls of this kind in those tries. Absent in older counts. */
  calls: z.number().nonnegative().optional(),
  /** Tokens that those calls wrote. Absent in older counts. */
  written: z.number().nonnegative().optional(),
  /** The time of the last count, in milliseconds since 1970. */
  at: z.number(),
});
export type Tally = z.infer<typeof tallySchema>;

/** How likely a model is to do a usual task, 0 to 1, and where that is known from. */
export interface Ability {
  readonly chance: number;
  readonly source: 'record' | 'size' | 'price' | 'unknown';
}

/** How work went on this machine, by model and purpose of the step. */
export const priorsSchema = z.record(z.string(), z.record(z.string(), tallySchema));
export type Priors = z.infer<typeof priorsSchema>;
