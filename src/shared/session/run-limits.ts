import { z } from 'zod';

/** The limits of a turn. Their usual values are in the settings. */
export const runLimitsSchema = z.object({
  maxSteps: z.number().int().positive(),
  maxMinutes: z.number().positive(),
  maxTokens: z.number().int().positive(),
  /** The most tool calls. Absent: no limit. */
  maxCalls: z.number().int().positive().optional(),
});
export type RunLimits = z.infer<typeof runLimitsSchema>;
